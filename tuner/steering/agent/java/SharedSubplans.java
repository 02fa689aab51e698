package tuner.steering.agent;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;

/**
 * Groups that a query makes several times, of other years or for other columns, are made once: of a CTE that is read several
 * times Spark plans each copy for itself, with the conditions of its reader pushed into it. Directed by the first join below them.
 */
public final class SharedSubplans {
  public static final String HINT = "SHARE";

  private final Pass pass;

  public SharedSubplans(Pass pass) {
    this.pass = pass;
  }

  /** A plan with the groups of these hints made once, as far as that can be. */
  public LogicalPlan of(LogicalPlan plan, List hints) {
    for (int i = 0; i < hints.size(); i++) plan = shared(plan, (Directives.Hint) hints.get(i));
    return plan;
  }

  private LogicalPlan shared(LogicalPlan plan, Directives.Hint hint) {
    boolean isMeasured = pass.isMeasured(hint.literals, hint.neutral);
    List chains = new ArrayList();
    find(plan, new ArrayList(), hint, new Lineage(Trees.everything(plan), pass.names), chains);
    // What other values leave of a plan, and where its copies have the same ones, tells nothing of those that it is for.
    if (!isMeasured && (chains.size() < 2 || MergedPlans.areEqual(at(chains, 0)))) {
      pass.hold(hint.id, Held.otherValues());
      return plan;
    }
    // Where an order that makes the join is held, it is for that (Pass.tellRest).
    if (chains.isEmpty()) return plan;
    if (chains.size() < 2) {
      pass.tell(hint.id, Pass.IMPOSSIBLE, "the plan has no such groups twice");
      return plan;
    }
    RowOrder rowOrder = new RowOrder(plan, Agent.orderSensitive());
    String reason = "";
    for (int depth = shortest(chains) - 1; depth >= 0; depth--) {
      LogicalPlan[] groups = at(chains, depth);
      try {
        if (isMeasured) keep(groups, rowOrder);
        MergedPlans merged = merged(groups);
        if (!isMeasured) {
          pass.hold(hint.id, Held.otherValues());
          return plan;
        }
        Map replaced = replaced(groups, merged);
        pass.tellMerged(hint.id);
        return new Replaced(replaced).of(plan);
      } catch (MergedPlans.Unlike unlike) {
        reason = unlike.getMessage();
      }
    }
    pass.tell(hint.id, Pass.IMPOSSIBLE, "the groups differ: " + reason);
    return plan;
  }

  /** The aggregates above each join that is meant and is the first one below them, those next to the join first. */
  private void find(LogicalPlan plan, List above, Directives.Hint hint, Lineage lineage, List found) {
    if (plan instanceof Aggregate) above.add(0, plan);
    boolean isMeant = plan instanceof Join && !above.isEmpty()
        && new JoinSite((Join) plan, lineage, pass.names).signature.equals(hint.join);
    if (isMeant) found.add(above);
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) {
      boolean goesOn = i == 0 && (children.size() == 1 || plan instanceof Union);
      find((LogicalPlan) children.get(i), goesOn ? above : new ArrayList(), hint, lineage, found);
    }
    List subqueries = Trees.subqueries(plan);
    for (int i = 0; i < subqueries.size(); i++) find((LogicalPlan) subqueries.get(i), new ArrayList(), hint, lineage, found);
  }

  private static int shortest(List chains) {
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < chains.size(); i++) least = Math.min(least, ((List) chains.get(i)).size());
    return least;
  }

  /** The aggregates of all chains, so many above those next to the join. */
  private static LogicalPlan[] at(List chains, int depth) {
    LogicalPlan[] groups = new LogicalPlan[chains.size()];
    for (int i = 0; i < groups.length; i++) groups[i] = (LogicalPlan) ((List) chains.get(i)).get(depth);
    return groups;
  }

  /** Throws Unlike where rows of their joins must come as they do, which hangs on the sizes of this run. */
  private static void keep(LogicalPlan[] groups, RowOrder rowOrder) {
    for (int i = 0; i < groups.length; i++) {
      List operators = Trees.everything(groups[i]);
      for (int k = 0; k < operators.size(); k++) {
        String kept = operators.get(k) instanceof Join ? rowOrder.obstacle((Join) operators.get(k)) : null;
        if (kept != null) throw new MergedPlans.Unlike(kept);
      }
    }
  }

  /** The aggregates as one. Throws Unlike where they cannot be made equal, or are so already. */
  private static MergedPlans merged(LogicalPlan[] groups) {
    if (MergedPlans.areEqual(groups)) throw new MergedPlans.Unlike("in nothing that a plan tells");
    for (int i = 0; i < groups.length; i++) {
      String risk = NeverFails.obstacle(groups[i]);
      if (risk == null) risk = SumOverflow.obstacle(groups[i]);
      if (risk != null) throw new MergedPlans.Unlike("what may fail would be computed of other rows: " + risk);
    }
    MergedPlans merged = MergedPlans.of(groups);
    if (!MergedPlans.areEqual(merged.plans)) throw new MergedPlans.Unlike("Spark would not see that they are equal");
    for (int i = 0; i < groups.length; i++) {
      String other = ReadColumns.obstacle(groups[i], merged.plans[i]);
      if (other != null) throw new MergedPlans.Unlike(other);
    }
    return merged;
  }

  /** What each of the aggregates becomes. Throws Unlike where they read other files, or put out other types. */
  private static Map replaced(LogicalPlan[] groups, MergedPlans merged) {
    Map replaced = new IdentityHashMap();
    for (int i = 0; i < groups.length; i++) {
      if (!ListedFiles.areSame(merged.plans[0], merged.plans[i])) {
        throw new MergedPlans.Unlike("they read files of one path that were listed at different times");
      }
      replaced.put(groups[i], above(groups[i], merged.plans[i], merged.own[i]));
    }
    return replaced;
  }

  /** What a group was, of what all need: its own rows and columns. */
  private static LogicalPlan above(LogicalPlan before, LogicalPlan merged, Expression own) {
    LogicalPlan kept = own == null ? merged : new Filter(MergedPlans.bound(own, Trees.list(merged.output())), merged);
    List columns = Trees.list(before.output());
    List made = Trees.list(kept.output());
    for (int i = 0; i < columns.size(); i++) {
      Attribute column = (Attribute) columns.get(i);
      boolean found = false;
      for (int k = 0; k < made.size(); k++) {
        Attribute one = (Attribute) made.get(k);
        found = found || one.exprId().equals(column.exprId()) && one.dataType().equals(column.dataType())
            && (column.nullable() || !one.nullable());
      }
      if (!found) throw new MergedPlans.Unlike("a column would be of another type");
    }
    return new Project(Trees.seq(columns), kept);
  }

  private static final class Replaced implements Trees.Rewrite {
    private final Map by;

    Replaced(Map by) {
      this.by = by;
    }

    public LogicalPlan of(LogicalPlan plan) {
      LogicalPlan found = (LogicalPlan) by.get(plan);
      return found != null ? found : Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
    }
  }
}
