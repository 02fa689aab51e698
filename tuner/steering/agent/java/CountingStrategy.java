package tuner.steering.agent;

import java.util.Collections;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;

/**
 * What is counted first is planned so only where its counts can be compared. A plan may be optimised in a thread that finds the agent,
 * and planned in one that does not: there its evaluator is not asked for, and what nobody would hold back is planned without a hint.
 * The shuffle that counts is planned as the join's own.
 */
public final class CountingStrategy extends SparkStrategy {
  public scala.collection.immutable.List apply(LogicalPlan plan) {
    SparkPlan found = null;
    try {
      if (plan instanceof ReturnAnswer) MeasuredFirst.leaveWhereUnloadable();
      else if (plan instanceof Join) found = later(withoutHint((Join) plan));
      else if (Shuffled.isForJoin(plan)) found = Shuffled.exchange(plan, planLater((LogicalPlan) Trees.children(plan).get(0)));
    } catch (Throwable error) {
      Agent.failure(error, Agent.UNCHANGED);
    }
    return Trees.seq(found == null ? Collections.EMPTY_LIST : Collections.singletonList(found));
  }

  private SparkPlan later(Join join) {
    return join == null ? null : planLater(join);
  }

  /** A join as Spark has it by itself; null where it may keep its hint. */
  private static Join withoutHint(Join join) {
    if (MeasuredFirst.of(join) == null || MeasuredFirst.isCompared()) return null;
    return BroadcastRule.without(join, Held.uncounted(MeasuredFirst.LACKS));
  }
}
