package tuner.steering.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Orders the joins of a plan. Runs where Spark's own reordering would: filters are pushed down and columns pruned, and
 * what the new order needs of them is done again by the batches that follow.
 */
public final class OrderRule extends Rule {
  public String ruleName() {
    return "tuner.steering.agent.OrderRule";
  }

  public TreeNode apply(TreeNode given) {
    LogicalPlan plan = (LogicalPlan) given;
    // A subquery is optimised alone first; it is seen whole with the plan that holds it.
    if (plan instanceof Subquery) return plan;
    long start = System.nanoTime();
    Pass pass;
    try {
      MeasuredFirst.leaveWhereUnloadable();
      pass = Pass.begin(plan);
    } catch (Throwable error) {
      Agent.failure(error, Agent.UNCHANGED);
      return plan;
    }
    try {
      List queries = Agent.queries();
      if (Agent.traces()) {
        List operators = Trees.everything(plan);
        Lineage lineage = new Lineage(operators, pass.names);
        pass.trace = Trace.ofPlan(plan, operators, pass.names, lineage);
        pass.tellValues(new Literals(operators, lineage));
      }
      return queries.isEmpty() ? plan : ordered(plan, queries, pass);
    } catch (Throwable error) {
      pass.undo(Agent.failure(error, Agent.UNCHANGED));
      return plan;
    } finally {
      // An optimisation that fails leaves its pass behind, which must not keep the plan alive.
      pass.names.forget();
      pass.nanos += System.nanoTime() - start;
    }
  }

  private static LogicalPlan ordered(LogicalPlan plan, List queries, Pass pass) {
    List operators = Trees.everything(plan);
    Names names = pass.names;
    Set relations = Scope.relations(operators, names);
    String columns = null;
    String lock = null;
    List orders = new ArrayList();
    for (int i = 0; i < queries.size(); i++) {
      if (queries.get(i) instanceof Directives.Locked) {
        if (columns == null) columns = Columns.digest(plan, operators, names);
        if (lock == null) lock = Sealed.lock(relations, columns);
      }
      Directives.Query query = queryOf(queries.get(i), relations, columns, lock);
      if (query == null || isForbidden(query)) continue;
      if (!query.relations.equals(relations)) continue;
      if (!query.columns.isEmpty() && columns == null) columns = Columns.digest(plan, operators, names);
      if (!query.columns.isEmpty() && !query.columns.equals(columns)) continue;
      pass.queries.add(query);
      orders.addAll(query.orders);
    }
    if (pass.queries.isEmpty()) return plan;
    String obstacle = Scope.obstacle(plan, operators);
    if (obstacle != null) pass.tellRest(obstacle, obstacle);
    Lineage lineage = new Lineage(operators, names);
    pass.tellValues(new Literals(operators, lineage));
    if (obstacle != null || orders.isEmpty()) return plan;
    // How large a table is, and so where Spark shuffles, hangs on the partitions that are read. Spark prunes to them next, and then
    // leaves what is pruned: a metastore is asked once.
    LogicalPlan pruned = isAnyMeasured(orders, pass) ? Sizes.pruned(plan) : plan;
    if (pruned != plan) operators = Trees.everything(pruned);
    RowOrder rowOrder = new RowOrder(pruned, Agent.orderSensitive());
    JoinOrders joinOrders = new JoinOrders(orders, pass, names, lineage, rowOrder, new MadeOnce(operators), PullUp.asked(operators));
    LogicalPlan ordered = RowChanges.beside(joinOrders, operators).of(pruned);
    if (hasHint(operators)) pass.tellOrders(Pass.IGNORED, "a hint of the user's stands between its joins");
    if (Trees.output(ordered).equals(Trees.output(plan))) return ordered;
    pass.undo("the order would change the columns of the result");
    return plan;
  }

  private static boolean isAnyMeasured(List orders, Pass pass) {
    for (int i = 0; i < orders.size(); i++) {
      Directives.Order order = (Directives.Order) orders.get(i);
      if (pass.isMeasured(order.literals, order.neutral)) return true;
    }
    return false;
  }

  /** Null for what is sealed to this plan. */
  private static Directives.Query queryOf(Object directed, Set relations, String columns, String lock) {
    if (!(directed instanceof Directives.Locked)) return (Directives.Query) directed;
    Directives.Locked locked = (Directives.Locked) directed;
    if (!locked.lock.equals(lock)) return null;
    try {
      return Sealed.open(locked, relations, columns);
    } catch (IllegalArgumentException error) {
      Agent.failure(error, "what is sealed is not read");
      return null;
    }
  }

  /** Whether the application switched broadcasts off, which another job could not know of, and one is lent. */
  private static boolean isForbidden(Directives.Query query) {
    if (!query.lent || SQLConf.get().autoBroadcastJoinThreshold() >= 0) return false;
    for (int i = 0; i < query.hints.size(); i++) {
      if (((Directives.Hint) query.hints.get(i)).hint.equals("BROADCAST")) return true;
    }
    return false;
  }

  private static boolean hasHint(List operators) {
    for (int i = 0; i < operators.size(); i++) {
      if (operators.get(i) instanceof Join && !JoinBlock.isFree((Join) operators.get(i))) return true;
    }
    return false;
  }
}
