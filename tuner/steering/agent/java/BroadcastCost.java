package tuner.steering.agent;

import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.Cost;
import org.apache.spark.sql.execution.adaptive.CostEvaluator;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeLike;
import org.apache.spark.sql.execution.joins.ShuffledHashJoinExec;
import scala.Option;

/**
 * What adaptive execution compares plans by: first how many hash tables of too many counted rows they have, then as Spark does.
 * By itself Spark keeps a broadcast, however large its rows turn out, for a plan without it has a shuffle more.
 */
public final class BroadcastCost implements CostEvaluator {
  public Cost evaluateCost(SparkPlan plan) {
    int tooLarge = 0;
    try {
      tooLarge = tooLarge(plan);
    } catch (Throwable error) {
      Agent.failure(error, "plans are compared as Spark compares them");
    }
    return new Priced(tooLarge, SparkCost.evaluator().evaluateCost(plan));
  }

  /** Hash tables that the agent asked for; what the session plans otherwise costs what it costs Spark. */
  private static int tooLarge(SparkPlan plan) {
    int found = 0;
    boolean isTooLarge = isTooLarge(plan);
    if (isTooLarge && plan instanceof ShuffledHashJoinExec) found++;
    scala.collection.Iterator children = plan.children().iterator();
    while (children.hasNext()) {
      SparkPlan child = (SparkPlan) children.next();
      if (isTooLarge && child instanceof BroadcastExchangeLike) found++;
      found += tooLarge(child);
    }
    return found;
  }

  /** By what BroadcastRule found of the join: one limit for both. */
  private static boolean isTooLarge(SparkPlan plan) {
    Option link = plan.logicalLink();
    if (link.isEmpty() || !(link.get() instanceof Join)) return false;
    MeasuredFirst hint = MeasuredFirst.of((Join) link.get());
    return hint != null && hint.grant.isTooLarge;
  }

  /** A cost that compares with its like. */
  private static final class Priced implements Cost {
    private final int tooLarge;
    private final Cost cost;

    Priced(int tooLarge, Cost cost) {
      this.tooLarge = tooLarge;
      this.cost = cost;
    }

    public int compare(Object other) {
      Priced than = (Priced) other;
      return tooLarge != than.tooLarge ? tooLarge - than.tooLarge : cost.compare(than.cost);
    }

    public boolean equals(Object other) {
      return other instanceof Priced && compare(other) == 0;
    }

    public int hashCode() {
      return tooLarge;
    }
  }
}
