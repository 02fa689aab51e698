package tuner.steering.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec;
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage;

/** While a query runs: takes the hint of MeasuredFirst away where the rows that were counted are too many. */
public final class BroadcastRule extends Rule {
  public String ruleName() {
    return "tuner.steering.agent.BroadcastRule";
  }

  public TreeNode apply(TreeNode given) {
    try {
      List joins = new ArrayList();
      List broadcasts = new ArrayList();
      look((LogicalPlan) given, joins, broadcasts);
      if (joins.isEmpty()) return given;
      for (int i = 0; i < joins.size(); i++) account((Join) joins.get(i), broadcasts);
      return new Counted().of((LogicalPlan) given);
    } catch (Throwable error) {
      return uncounted((LogicalPlan) given, Held.uncounted(Agent.failure(error, "what it did not count has no hint")));
    }
  }

  /** A plan without the hints that this rule did not get to: Spark would broadcast their rows however many they are. */
  private static LogicalPlan uncounted(LogicalPlan plan, Held held) {
    try {
      return new Uncounted(held).of(plan);
    } catch (Throwable error) {
      Agent.failure(error, Agent.UNCHANGED);
      return plan;
    }
  }

  private static final class Uncounted implements Trees.Rewrite {
    private final Held held;

    Uncounted(Held held) {
      this.held = held;
    }

    public LogicalPlan of(LogicalPlan plan) {
      LogicalPlan rewritten = Trees.mapChildren(plan, this);
      if (!(rewritten instanceof Join)) return rewritten;
      Join join = (Join) rewritten;
      boolean stays = MeasuredFirst.of(join) == null || broadcastOf(MeasuredFirst.side(join)) != null;
      return stays ? join : without(join, held);
    }
  }

  /** The joins with such a hint, and the broadcasts that are there or under way. */
  private static void look(LogicalPlan plan, List joins, List broadcasts) {
    if (plan instanceof LogicalQueryStage) {
      SparkPlan stage = ((LogicalQueryStage) plan).physicalPlan();
      if (stage instanceof BroadcastQueryStageExec) broadcasts.add(stage);
      return;
    }
    if (plan instanceof Join && MeasuredFirst.of((Join) plan) != null) joins.add(plan);
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) look((LogicalPlan) children.get(i), joins, broadcasts);
  }

  /** Enters into the budget of a join's query what is there by now: before what it is for is done, and gone from the plan. */
  private static void account(Join join, List broadcasts) {
    MeasuredFirst hint = MeasuredFirst.of(join);
    for (int i = 0; i < broadcasts.size(); i++) {
      BroadcastQueryStageExec stage = (BroadcastQueryStageExec) broadcasts.get(i);
      hint.budget.saw(((SparkPlan) (Object) stage.broadcast()).id(), Math.min(Measured.heldBytes(stage), Long.MAX_VALUE >> 8));
    }
    if (isThere(MeasuredFirst.side(join))) hint.grant.bytes = 0;
  }

  private static final class Counted implements Trees.Rewrite {
    public LogicalPlan of(LogicalPlan plan) {
      LogicalPlan rewritten = Trees.mapChildren(plan, this);
      if (!(rewritten instanceof Join)) return rewritten;
      Join join = (Join) rewritten;
      MeasuredFirst hint = MeasuredFirst.of(join);
      if (hint == null) return join;
      long bytes = hint.isOfTasks() ? taskBytes(MeasuredFirst.side(join)) : relationBytes(MeasuredFirst.side(join));
      if (bytes == 0) return join;
      long most = hint.isOfTasks() ? hint.grant.takeOfTask(bytes) : hint.budget.take(hint.grant, bytes);
      return hint.grant.isTooLarge ? without(join, Held.largeResult(bytes, most)) : join;
    }
  }

  /** What was counted of a side; 0 while its stage runs and once it is broadcast, no end of it where there is no such stage. */
  private static long relationBytes(LogicalPlan side) {
    side = Trees.belowProjections(side);
    if (side instanceof RepartitionByExpression || side instanceof RebalancePartitions) return 0;
    if (!(side instanceof LogicalQueryStage)) return Long.MAX_VALUE;
    SparkPlan stage = ((LogicalQueryStage) side).physicalPlan();
    return stage instanceof BroadcastQueryStageExec ? 0 : Math.max(0, Measured.relationBytes(stage));
  }

  /** What a task would hash of a side at most, as it was counted; 0 where that is not known yet. */
  private static long taskBytes(LogicalPlan side) {
    side = Trees.belowProjections(side);
    // What puts groups together keeps no more rows than it gets.
    while (side instanceof Aggregate) side = Trees.belowProjections((LogicalPlan) Trees.children(side).get(0));
    return side instanceof LogicalQueryStage ? Math.max(0, Measured.taskBytes(((LogicalQueryStage) side).physicalPlan())) : 0;
  }

  private static boolean isThere(LogicalPlan side) {
    BroadcastQueryStageExec stage = broadcastOf(side);
    return stage != null && stage.isMaterialized();
  }

  /** The broadcast of a side that is there or under way; null for none. */
  private static BroadcastQueryStageExec broadcastOf(LogicalPlan side) {
    side = Trees.belowProjections(side);
    if (!(side instanceof LogicalQueryStage)) return null;
    SparkPlan stage = ((LogicalQueryStage) side).physicalPlan();
    return stage instanceof BroadcastQueryStageExec ? (BroadcastQueryStageExec) stage : null;
  }

  /** Such a join as Spark has it by itself, its hint being not for this run. */
  public static Join without(Join join, Held held) {
    MeasuredFirst hint = MeasuredFirst.of(join);
    if (hint.grant.deny()) tell(hint, held);
    Join free = new Join(join.left(), join.right(), join.joinType(), join.condition(), JoinHint.NONE());
    free.copyTagsFrom(join);
    return free;
  }

  /** Note of a hint that is in a plan already that it is not for this run. */
  private static void tell(MeasuredFirst hint, Held held) {
    Map outcome = new LinkedHashMap();
    outcome.put("id", hint.id);
    outcome.put("status", Pass.HELD);
    outcome.put("reason", held.reason);
    outcome.put("code", held.code);
    outcome.put("numbers", held.numbers);
    List outcomes = new ArrayList();
    outcomes.add(outcome);
    long id = Agent.executionId();
    Agent.post(new PlanSteered(id, hint.fingerprint, outcomes, 0, hint.literals, hint.conditions, null));
  }
}
