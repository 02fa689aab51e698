package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/** Hints the joins of a plan when nothing will change them any more, and reports what became of all directives. */
public final class HintRule extends Rule {
  public String ruleName() {
    return "tuner.steering.agent.HintRule";
  }

  public TreeNode apply(TreeNode given) {
    LogicalPlan plan = (LogicalPlan) given;
    Pass pass = Pass.current();
    if (plan instanceof Subquery || pass == null || pass.isDone(plan)) return plan;
    long start = System.nanoTime();
    LogicalPlan result = plan;
    List joins = null;
    try {
      joins = Agent.traces() ? new ArrayList() : null;
      if (pass.queries.isEmpty() && joins == null) return plan;
      result = hinted(plan, pass, joins);
    } catch (Throwable error) {
      pass.undoHints(Agent.failure(error));
    }
    pass.nanos += System.nanoTime() - start;
    try {
      report(pass, joins);
    } catch (Throwable error) {
      Agent.failure(error);
    }
    pass.done(result);
    return result;
  }

  private static LogicalPlan hinted(LogicalPlan plan, Pass pass, List joins) {
    LogicalPlan result = plan;
    List hints = pass.hints();
    if (!hints.isEmpty() || joins != null) {
      List operators = Trees.everything(plan);
      Lineage lineage = new Lineage(operators, pass.names);
      String obstacle = Scope.obstacle(plan, operators);
      if (obstacle != null) pass.tellRest(obstacle, obstacle);
      else if (!hints.isEmpty()) result = hinted(plan, operators, hints, pass, lineage);
      if (joins != null) addJoins(result, pass.names, lineage, joins);
    }
    pass.tellRest("the plan has no such join", "the plan has no such block of joins");
    return result;
  }

  private static LogicalPlan hinted(LogicalPlan plan, List operators, List hints, Pass pass, Lineage lineage) {
    JoinHints joinHints = new JoinHints(hints, pass, lineage, new RowOrder(plan, Agent.orderSensitive()));
    joinHints.refuse(operators);
    return joinHints.of(plan);
  }

  /** Once for a plan: the batch that the rule is in goes on until nothing changes. */
  private static void report(Pass pass, List joins) {
    if (pass.isReported()) return;
    long id = Agent.executionId();
    long micros = pass.nanos / 1000;
    List met = pass.met();
    for (int i = 0; i < met.size(); i++) {
      Directives.Query query = (Directives.Query) met.get(i);
      Agent.post(new PlanSteered(id, query.fingerprint, pass.of(query), micros, pass.columns, joins, pass.literals));
    }
    if (met.isEmpty()) Agent.post(new PlanSteered(id, "", new ArrayList(), micros, pass.columns, joins, pass.literals));
  }

  /** Adds all joins of a plan but those of the subqueries that prune, which come and go with the sizes of a run. */
  private static void addJoins(LogicalPlan plan, Names names, Lineage lineage, List found) {
    if (plan instanceof Join) found.add(told(new JoinSite((Join) plan, lineage, names)));
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) addJoins((LogicalPlan) children.get(i), names, lineage, found);
    List subqueries = Trees.planExpressions(plan);
    for (int i = 0; i < subqueries.size(); i++) {
      PlanExpression subquery = (PlanExpression) subqueries.get(i);
      if (!prunes(subquery)) addJoins((LogicalPlan) subquery.plan(), names, lineage, found);
    }
  }

  private static boolean prunes(PlanExpression subquery) {
    return subquery.getClass().getSimpleName().equals("DynamicPruningSubquery")
        || subquery.plan().toString().indexOf("bloom_filter_agg") >= 0;
  }

  private static Map told(JoinSite site) {
    Map join = new LinkedHashMap();
    join.put("signature", site.signature);
    join.put("type", site.type);
    join.put("left", site.left);
    join.put("right", site.right);
    List keys = new ArrayList();
    for (int i = 0; i < site.keys.size(); i++) keys.add(Arrays.asList((Object[]) site.keys.get(i)));
    join.put("keys", keys);
    return join;
  }
}
