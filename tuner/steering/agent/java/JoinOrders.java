package tuner.steering.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.internal.SQLConf;
import scala.None$;
import scala.Option;
import scala.Some;

/** Joins blocks in the orders that are directed, or leaves them as they are. */
public final class JoinOrders implements Trees.Rewrite {
  private final List orders;
  private final Pass pass;
  private final Names names;
  private final Lineage lineage;
  private final RowOrder rowOrder;
  private final MadeOnce madeOnce;
  private final Set asked;

  /** `asked` are the columns of its plan that nothing is pulled up of (PullUp). */
  public JoinOrders(
      List orders, Pass pass, Names names, Lineage lineage, RowOrder rowOrder, MadeOnce madeOnce, Set asked) {
    this.asked = asked;
    this.rowOrder = rowOrder;
    this.madeOnce = madeOnce;
    this.orders = orders;
    this.pass = pass;
    this.names = names;
    this.lineage = lineage;
  }

  public LogicalPlan of(LogicalPlan plan) {
    if (!JoinBlock.isInner(plan)) return Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
    JoinBlock block = new JoinBlock(plan);
    IdentityHashMap replaced = new IdentityHashMap();
    for (int i = 0; i < block.items.size(); i++) {
      LogicalPlan item = (LogicalPlan) block.items.get(i);
      LogicalPlan next = of(item);
      if (next != item) replaced.put(item, next);
    }
    LogicalPlan ordered = block.items.size() > 2 ? ordered(block, replaced) : null;
    return ordered != null ? ordered : block.withItems(replaced);
  }

  private LogicalPlan ordered(JoinBlock block, IdentityHashMap replaced) {
    List relations = block.relations(names);
    List edges = block.edges(lineage);
    PullUp pullUp = new PullUp(block.items, asked);
    String ofBlock = null;
    for (int i = 0; i < orders.size(); i++) {
      Directives.Order order = (Directives.Order) orders.get(i);
      BlockMatch match = BlockMatch.of(order, relations, edges);
      if (match.items == null) {
        if (match.reason != null) pass.tell(order.id, Pass.IMPOSSIBLE, match.reason);
        continue;
      }
      // Whatever values it has: an order that waits for others would keep the next one from being tried.
      if (ofBlock == null) ofBlock = block.obstacle(pullUp.below(block.items));
      String obstacle = ofBlock != null ? ofBlock : block.obstacle(columns(Json.element(order.order, 0), block, match.items));
      if (obstacle != null) {
        pass.tell(order.id, Pass.IMPOSSIBLE, obstacle);
        continue;
      }
      if (!pass.isMeasured(order.literals, order.neutral)) {
        pass.hold(order.id, Held.otherValues());
        continue;
      }
      LogicalPlan result = ordered(block, replaced, order, match.items, pullUp);
      for (int k = i + 1; k < orders.size(); k++) {
        Directives.Order other = (Directives.Order) orders.get(k);
        int[] items = BlockMatch.of(other, relations, edges).items;
        if (!pass.isMeasured(other.literals, other.neutral)) continue;
        if (items != null && spelled(other.order, items).equals(spelled(order.order, match.items))) {
          pass.tellSame(other.id, order.id);
        }
      }
      return result;
    }
    return null;
  }

  /** The columns of a part of an order. */
  private static Set columns(JsonNode order, JoinBlock block, int[] items) {
    if (!order.isArray()) return Trees.output((LogicalPlan) block.items.get(items[order.asInt()]));
    Set found = columns(Json.element(order, 0), block, items);
    found.addAll(columns(Json.element(order, 1), block, items));
    return found;
  }

  /** An order by the numbers that a block gives its items: the same for the same order. */
  private static String spelled(JsonNode order, int[] items) {
    if (!order.isArray()) return String.valueOf(items[order.asInt()]);
    return "(" + spelled(Json.element(order, 0), items) + " " + spelled(Json.element(order, 1), items) + ")";
  }

  private LogicalPlan ordered(
      JoinBlock block, IdentityHashMap replaced, Directives.Order order, int[] items, PullUp pullUp) {
    SQLConf conf = SQLConf.get();
    if (conf.cboEnabled() && conf.joinReorderEnabled()) {
      pass.tell(order.id, Pass.IGNORED, "Spark's own cost-based join reordering is on");
      return null;
    }
    String obstacle = rowOrder.obstacle((Join) block.root);
    // By other keys its relations are shuffled otherwise.
    for (int i = 0; obstacle == null && i < block.items.size(); i++) {
      obstacle = madeOnce.obstacle((LogicalPlan) block.items.get(i));
    }
    if (obstacle != null) {
      pass.tell(order.id, Pass.IMPOSSIBLE, obstacle);
      return null;
    }
    List plans = new ArrayList();
    for (int i = 0; i < items.length; i++) {
      LogicalPlan item = (LogicalPlan) block.items.get(items[i]);
      plans.add(replaced.containsKey(item) ? replaced.get(item) : item);
    }
    if (isSo(block.withItems(replaced), order.order, plans)) {
      pass.tell(order.id, Pass.APPLIED, "it was so already");
      return null;
    }
    Held held = Sizes.obstacle(plans, order.ranges);
    if (held != null) {
      pass.hold(order.id, held);
      return null;
    }
    List wanted = pullUp.above(Trees.list(block.root.output()));
    List waiting = new ArrayList(block.conjuncts);
    LogicalPlan built = build(order.order, pullUp.below(plans), waiting);
    if (built == null || !waiting.isEmpty() || !hasAll(built, wanted)) {
      pass.tell(order.id, Pass.IMPOSSIBLE, "the order leaves relations without a condition between them");
      return null;
    }
    pass.tell(order.id, Pass.APPLIED, "");
    return withOutput(built, wanted);
  }

  /** The joins of an order, each condition where both its sides are there first; null for a product nobody wrote. */
  private static LogicalPlan build(JsonNode order, List plans, List waiting) {
    if (!order.isArray()) return (LogicalPlan) plans.get(order.asInt());
    LogicalPlan left = build(Json.element(order, 0), plans, waiting);
    LogicalPlan right = build(Json.element(order, 1), plans, waiting);
    if (left == null || right == null) return null;
    Set output = Trees.output(left);
    output.addAll(Trees.output(right));
    Expression condition = null;
    List rest = new ArrayList();
    for (int i = 0; i < waiting.size(); i++) {
      Expression conjunct = (Expression) waiting.get(i);
      if (!output.containsAll(Trees.references(conjunct))) rest.add(conjunct);
      else condition = condition == null ? conjunct : new And(condition, conjunct);
    }
    waiting.clear();
    waiting.addAll(rest);
    if (condition == null && !SQLConf.get().crossJoinEnabled()) return null;
    Option given = condition == null ? (Option) None$.MODULE$ : (Option) new Some(condition);
    return new Join(left, right, Inner$.MODULE$, given, JoinHint.NONE());
  }

  /** Whether the joins already stand in the order, sides included. */
  private static boolean isSo(LogicalPlan plan, JsonNode order, List plans) {
    if (!order.isArray()) return plan == plans.get(order.asInt());
    LogicalPlan below = JoinBlock.below(plan);
    if (!JoinBlock.isInner(below)) return false;
    Join join = (Join) below;
    return isSo(join.left(), Json.element(order, 0), plans) && isSo(join.right(), Json.element(order, 1), plans);
  }

  /** Whether a plan has all that columns are, or are computed of. */
  private static boolean hasAll(LogicalPlan built, List columns) {
    Set output = Trees.output(built);
    for (int i = 0; i < columns.size(); i++) {
      if (!output.containsAll(Trees.references((Expression) columns.get(i)))) return false;
    }
    return true;
  }

  private static LogicalPlan withOutput(LogicalPlan built, List wanted) {
    List found = Trees.list(built.output());
    boolean same = wanted.size() == found.size();
    for (int i = 0; same && i < wanted.size(); i++) {
      same = ((NamedExpression) wanted.get(i)).exprId().equals(((Attribute) found.get(i)).exprId());
    }
    return same ? built : new Project(Trees.seq(wanted), built);
  }
}
