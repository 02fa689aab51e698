package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * A block of inner joins taken apart: its items, and the conditions between them. It ends at other joins, at hints of the
 * user's, and at what changes rows or computes columns, as `tuner.plan.join_blocks` has it of the physical plan.
 */
public final class JoinBlock {
  private static final String FAILS = "a condition of the joins may fail on rows that another order gives it: ";

  public final LogicalPlan root;
  public final List items = new ArrayList();
  /** The conjuncts of all its conditions. */
  public final List conjuncts = new ArrayList();
  // Of conjuncts that stand on a join of two items: that join.
  private final Map pairings = new IdentityHashMap();
  private final Map ownerOf = new HashMap();

  public JoinBlock(LogicalPlan root) {
    this.root = root;
    flatten(root);
    for (int i = 0; i < items.size(); i++) {
      for (Object id : Trees.output((LogicalPlan) items.get(i))) ownerOf.put(id, Integer.valueOf(i));
    }
  }

  /** Whether a block's joins start here. */
  public static boolean isInner(LogicalPlan plan) {
    if (!(plan instanceof Join)) return false;
    String type = JoinSite.typeOf((Join) plan);
    return (type.equals("Inner") || type.equals("Cross")) && isFree((Join) plan);
  }

  /** Whether nobody has hinted a join. */
  public static boolean isFree(Join join) {
    JoinHint hint = join.hint();
    return hint.leftHint().isEmpty() && hint.rightHint().isEmpty();
  }

  private void flatten(LogicalPlan plan) {
    LogicalPlan below = below(plan);
    if (!isInner(below)) {
      items.add(plan);
      return;
    }
    Join join = (Join) below;
    flatten(join.left());
    flatten(join.right());
    if (join.condition().isEmpty()) return;
    List own = Trees.conjuncts((Expression) join.condition().get());
    conjuncts.addAll(own);
    boolean isOfTwo = !isInner(below(join.left())) && !isInner(below(join.right()));
    for (int i = 0; isOfTwo && i < own.size(); i++) pairings.put(own.get(i), join);
  }

  /** The first operator under projections that only choose among columns. */
  public static LogicalPlan below(LogicalPlan plan) {
    while (plan instanceof Project && onlyColumns((Project) plan)) plan = ((Project) plan).child();
    return plan;
  }

  private static boolean onlyColumns(Project project) {
    List columns = Trees.list(project.projectList());
    for (int i = 0; i < columns.size(); i++) if (!(columns.get(i) instanceof AttributeReference)) return false;
    return true;
  }

  /** Why the block must stay as it is; null where it may be reordered. `joined` are its items as another order joins them. */
  public String obstacle(List joined) {
    for (int i = 0; i < conjuncts.size(); i++) {
      Expression conjunct = (Expression) conjuncts.get(i);
      if (!conjunct.deterministic()) return "a condition of the joins is not deterministic";
      if (Trees.hasSubquery(conjunct)) return "a condition of the joins holds a subquery";
      String risk = NeverFails.obstacle(conjunct);
      if (risk != null && !isOfEqualKeys(conjunct)) return FAILS + risk;
      if (Trees.hasOuterReference(conjunct)) return "a condition reaches outside the joins";
      if (!ownerOf.keySet().containsAll(Trees.references(conjunct))) return "a condition reaches outside the joins";
    }
    Set output = new HashSet();
    int columns = 0;
    for (int i = 0; i < joined.size(); i++) {
      LogicalPlan item = (LogicalPlan) joined.get(i);
      // What is computed of a joined relation may wait until a join has dropped rows, which another order does later.
      String risk = NeverFails.obstacle(item);
      if (risk != null) return "a joined relation computes what may fail on rows that another order gives it: " + risk;
      output.addAll(Trees.output(item));
      columns += Trees.output(item).size();
    }
    return columns == output.size() ? null : "two joined relations share a column";
  }

  /** Whether a condition is asked of all pairs of equal keys of two items, before any other join has dropped rows of them. */
  private boolean isOfEqualKeys(Expression conjunct) {
    Join join = (Join) pairings.get(conjunct);
    return join != null && isApart(conjunct, Trees.output(join.left())) && PairCondition.obstacle(join) == null;
  }

  /**
   * Why the block must not be joined so that its last join has these columns on a side; null where it may be. There, what may
   * fail is asked of fewer pairs than where it stands: of those that all other joins have left. Further below, joins above it may
   * have kept Spark from asking it of all: of partitions that they prune, or of keys behind their last one.
   */
  public String obstacle(Set side) {
    for (int i = 0; i < conjuncts.size(); i++) {
      Expression conjunct = (Expression) conjuncts.get(i);
      String risk = isApart(conjunct, side) ? null : NeverFails.obstacle(conjunct);
      if (risk != null) return FAILS + risk;
    }
    return null;
  }

  /** Whether an expression asks for columns of one side and for others. */
  private static boolean isApart(Expression expression, Set side) {
    Set asked = Trees.references(expression);
    return !side.containsAll(asked) && !Collections.disjoint(side, asked);
  }

  /** The relations of each item, sorted. Those of IN and EXISTS count: they will be joined to it. */
  public List relations(Names names) {
    List found = new ArrayList();
    for (int i = 0; i < items.size(); i++) {
      List of = new ArrayList(names.relations((LogicalPlan) items.get(i)));
      addTested((LogicalPlan) items.get(i), names, of);
      Collections.sort(of);
      found.add(of);
    }
    return found;
  }

  private static void addTested(LogicalPlan plan, Names names, List found) {
    if (!Trees.hasSubquery(plan)) return;
    List tested = Trees.tested(plan);
    for (int i = 0; i < tested.size(); i++) {
      LogicalPlan inner = (LogicalPlan) tested.get(i);
      found.addAll(names.relations(inner));
      addTested(inner, names, found);
    }
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) addTested((LogicalPlan) children.get(i), names, found);
  }

  /** The equalities between two items each, as keys of a join name them. */
  public List edges(Lineage lineage) {
    List found = new ArrayList();
    for (int i = 0; i < conjuncts.size(); i++) {
      Expression conjunct = (Expression) conjuncts.get(i);
      boolean nullSafe = conjunct instanceof EqualNullSafe;
      if (!nullSafe && !(conjunct instanceof EqualTo)) continue;
      Expression left = (Expression) Trees.list(conjunct.children()).get(0);
      Expression right = (Expression) Trees.list(conjunct.children()).get(1);
      int a = onlyOwner(left);
      int b = onlyOwner(right);
      if (a < 0 || b < 0 || a == b) continue;
      if (nullSafe) {
        // ExtractEquiJoinKeys joins on coalesce(key, default) and isnull(key).
        String x = lineage.computedOf(left);
        String y = lineage.computedOf(right);
        found.add(new Directives.Edge(a, b, x, y));
        found.add(new Directives.Edge(a, b, x, y));
      } else {
        found.add(new Directives.Edge(a, b, lineage.source(left), lineage.source(right)));
      }
    }
    return found;
  }

  private int onlyOwner(Expression expression) {
    int found = -1;
    for (Object id : Trees.references(expression)) {
      Integer owner = (Integer) ownerOf.get(id);
      if (owner == null || (found >= 0 && found != owner.intValue())) return -1;
      found = owner.intValue();
    }
    return found;
  }

  /** The block as it stands, with other plans for its items. */
  public LogicalPlan withItems(IdentityHashMap replaced) {
    return replaced.isEmpty() ? root : replace(root, replaced);
  }

  private boolean isItem(LogicalPlan plan) {
    for (int i = 0; i < items.size(); i++) if (items.get(i) == plan) return true;
    return false;
  }

  private LogicalPlan replace(LogicalPlan plan, final IdentityHashMap replaced) {
    if (replaced.containsKey(plan)) return (LogicalPlan) replaced.get(plan);
    if (isItem(plan)) return plan;
    return Trees.mapChildren(plan, new Trees.Rewrite() {
      public LogicalPlan of(LogicalPlan child) {
        return replace(child, replaced);
      }
    });
  }
}
