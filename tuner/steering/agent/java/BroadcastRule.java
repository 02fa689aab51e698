package tuner.steering.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/** While a query runs: takes the hint of MeasuredFirst away where the rows that were counted are too many to broadcast. */
public final class BroadcastRule extends Rule {
  public String ruleName() {
    return "tuner.steering.agent.BroadcastRule";
  }

  public TreeNode apply(TreeNode given) {
    try {
      return new Counted(broadcasts((LogicalPlan) given)).of((LogicalPlan) given);
    } catch (Throwable error) {
      Agent.failure(error);
      return given;
    }
  }

  /** One look at a plan: what it lets be broadcast counts against what comes after. */
  private static final class Counted implements Trees.Rewrite {
    private long taken;

    Counted(long taken) {
      this.taken = taken;
    }

    public LogicalPlan of(LogicalPlan plan) {
      LogicalPlan rewritten = Trees.mapChildren(plan, this);
      if (!(rewritten instanceof Join)) return rewritten;
      Join join = (Join) rewritten;
      MeasuredFirst hint = MeasuredFirst.of(join);
      if (hint == null) return join;
      long bytes = relationBytes(MeasuredFirst.side(join));
      if (bytes == 0) return join;
      // What it was let have before is taken, too.
      long most = Heap.mostBytes(taken - hint.allowedBytes);
      if (bytes <= most) {
        taken += bytes - hint.allowedBytes;
        hint.allowedBytes = bytes;
        return join;
      }
      taken -= hint.allowedBytes;
      hint.allowedBytes = 0;
      if (!hint.isTooLarge) tell(hint, bytes, most);
      hint.isTooLarge = true;
      Join free = new Join(join.left(), join.right(), join.joinType(), join.condition(), JoinHint.NONE());
      free.copyTagsFrom(join);
      return free;
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

  /** Bytes of what a plan has broadcast already, and of what it is let broadcast. */
  private static long broadcasts(LogicalPlan plan) {
    if (plan instanceof LogicalQueryStage) {
      SparkPlan stage = ((LogicalQueryStage) plan).physicalPlan();
      return stage instanceof BroadcastQueryStageExec ? Math.min(Measured.heldBytes(stage), Long.MAX_VALUE >> 8) : 0;
    }
    long sum = plan instanceof Join ? allowed((Join) plan) : 0;
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) sum += broadcasts((LogicalPlan) children.get(i));
    return sum;
  }

  /** What a join was let broadcast, as long as that is not there. */
  private static long allowed(Join join) {
    MeasuredFirst hint = MeasuredFirst.of(join);
    return hint == null || isThere(MeasuredFirst.side(join)) ? 0 : hint.allowedBytes;
  }

  private static boolean isThere(LogicalPlan side) {
    side = Trees.belowProjections(side);
    if (!(side instanceof LogicalQueryStage)) return false;
    SparkPlan stage = ((LogicalQueryStage) side).physicalPlan();
    return stage instanceof BroadcastQueryStageExec && ((BroadcastQueryStageExec) stage).isMaterialized();
  }

  private static void tell(MeasuredFirst hint, long bytes, long most) {
    Held held = Held.largeResult(bytes, most);
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
