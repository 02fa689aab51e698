package tuner.steering.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    if (plan instanceof Subquery) return plan;
    Pass pass = passOf(plan);
    if (pass == null || pass.isDone(plan)) return plan;
    long start = System.nanoTime();
    LogicalPlan result = plan;
    try {
      if (pass.queries.isEmpty() && pass.trace == null) return plan;
      result = hinted(plan, pass);
    } catch (Throwable error) {
      pass.undoHints(Agent.failure(error, "no join is hinted"));
    }
    pass.nanos += System.nanoTime() - start;
    try {
      report(pass);
    } catch (Throwable error) {
      Agent.failure(error, "what became of the directives is not told");
    }
    pass.done(result);
    return result;
  }

  private static Pass passOf(LogicalPlan plan) {
    try {
      return Pass.of(plan);
    } catch (Throwable error) {
      Agent.failure(error, "no join is hinted");
      return null;
    }
  }

  private static LogicalPlan hinted(LogicalPlan plan, Pass pass) {
    LogicalPlan result = plan;
    List hints = pass.hints();
    String absent = "the plan has no such join";
    if (!hints.isEmpty() || pass.trace != null) {
      List operators = Trees.everything(plan);
      String obstacle = Scope.obstacle(plan, operators);
      if (RowChanges.areIn(operators)) absent = RowChanges.REASON;
      if (obstacle != null) pass.tellRest(obstacle, obstacle);
      else if (!hints.isEmpty()) result = hinted(plan, operators, hints, pass);
      if (pass.trace != null && !pass.isReported()) {
        pass.trace.put("joins", Trace.joins(result, pass.names, new Lineage(operators, pass.names)));
      }
    }
    pass.tellRest(absent, "the plan has no such block of joins");
    return result;
  }

  private static LogicalPlan hinted(LogicalPlan plan, List operators, List hints, Pass pass) {
    List shared = among(hints, SharedSubplans.HINT);
    List filters = among(hints, KeyFilters.HINT);
    List strategies = new ArrayList(hints);
    strategies.removeAll(shared);
    strategies.removeAll(filters);
    // First: parts with filters of other keys, or with other strategies, would not be equal.
    if (!shared.isEmpty() && !RowChanges.areIn(operators)) {
      plan = new SharedSubplans(pass).of(plan, shared);
      operators = Trees.everything(plan);
    }
    if (!filters.isEmpty()) {
      Lineage lineage = new Lineage(operators, pass.names);
      RowOrder rowOrder = new RowOrder(plan, Agent.orderSensitive());
      KeyFilters keyFilters = new KeyFilters(filters, pass, lineage, rowOrder, new MadeOnce(operators));
      plan = RowChanges.beside(keyFilters, operators).of(plan);
      operators = Trees.everything(plan);
    }
    if (strategies.isEmpty()) return plan;
    // Joins that a filter's keys come from are hinted as those that they are copies of: what both shuffle is shuffled once.
    Lineage lineage = new Lineage(operators, pass.names);
    RowOrder rowOrder = new RowOrder(plan, Agent.orderSensitive());
    JoinHints joinHints = new JoinHints(strategies, pass, lineage, rowOrder, new MadeOnce(operators));
    joinHints.refuse(operators);
    return RowChanges.beside(joinHints, operators).of(plan);
  }

  private static List among(List hints, String name) {
    List found = new ArrayList();
    for (int i = 0; i < hints.size(); i++) if (((Directives.Hint) hints.get(i)).hint.equals(name)) found.add(hints.get(i));
    return found;
  }

  /**
   * Once for a plan: the batch that the rule is in goes on until nothing changes. In one event, however many queries the plan may
   * be: a job may have hundreds of the same relations.
   */
  private static void report(Pass pass) {
    if (pass.isReported()) return;
    List met = pass.met();
    String first = met.isEmpty() ? "" : ((Directives.Query) met.get(0)).fingerprint;
    List outcomes = new ArrayList();
    for (int i = 0; i < met.size(); i++) {
      Directives.Query query = (Directives.Query) met.get(i);
      outcomes.addAll(i == 0 ? pass.of(query) : of(query.fingerprint, pass.of(query)));
    }
    long micros = pass.nanos / 1000;
    Agent.post(new PlanSteered(Agent.executionId(), first, outcomes, micros, pass.literals, pass.conditions, pass.trace));
  }

  /** Outcomes of another query than the event names. */
  private static List of(String fingerprint, List outcomes) {
    List found = new ArrayList();
    for (int i = 0; i < outcomes.size(); i++) {
      Map outcome = new LinkedHashMap((Map) outcomes.get(i));
      outcome.put("query", fingerprint);
      found.add(outcome);
    }
    return found;
  }
}
