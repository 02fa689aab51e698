package tuner.steering.agent;

import java.lang.reflect.Constructor;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnaryExecNode;
import org.apache.spark.sql.execution.adaptive.Cost;
import org.apache.spark.sql.execution.adaptive.CostEvaluator;
import org.apache.spark.sql.execution.adaptive.SimpleCostEvaluator;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;

/**
 * What adaptive execution compares plans by: first how many broadcasts of too many counted rows they have, then as Spark does.
 * By itself Spark keeps a broadcast, however large its rows turn out, for a plan without it has a shuffle more.
 */
public final class BroadcastCost implements CostEvaluator {
  public Cost evaluateCost(SparkPlan plan) {
    int tooLarge = 0;
    try {
      tooLarge = tooLarge(plan);
    } catch (Throwable error) {
      Agent.failure(error);
    }
    return new Priced(tooLarge, sparks().evaluateCost(plan));
  }

  /** Broadcasts that the agent asked for; what the session plans otherwise costs what it costs Spark. */
  private static int tooLarge(SparkPlan plan) {
    int found = 0;
    boolean asked = isAskedFor(plan);
    scala.collection.Iterator children = plan.children().iterator();
    while (children.hasNext()) {
      SparkPlan child = (SparkPlan) children.next();
      if (asked && child instanceof BroadcastExchangeExec && Measured.relationBytes(stage(child)) > Heap.mostBytes(0)) found++;
      found += tooLarge(child);
    }
    return found;
  }

  private static boolean isAskedFor(SparkPlan plan) {
    Option link = plan.logicalLink();
    return link.isDefined() && link.get() instanceof Join && MeasuredFirst.isIn(((Join) link.get()).hint());
  }

  /** The stage that an operator reads, through those that hold a row at a time. */
  private static SparkPlan stage(SparkPlan plan) {
    while (plan instanceof UnaryExecNode) plan = (SparkPlan) plan.children().head();
    return plan;
  }

  /** Spark's own evaluator, which takes some more of the conf in some versions. */
  private static CostEvaluator sparks() {
    SQLConf conf = SQLConf.get();
    Constructor made = SimpleCostEvaluator.class.getConstructors()[0];
    Object[] arguments = new Object[made.getParameterTypes().length];
    try {
      String[] switches = {"spark.sql.adaptive.forceOptimizeSkewedJoin", "costEvaluatorCountLocalSortEnabled"};
      arguments[0] = Boolean.valueOf(conf.getConfString(switches[0], "false"));
      if (arguments.length > 1) arguments[1] = SQLConf.class.getMethod(switches[1], new Class[0]).invoke(conf, new Object[0]);
      return (CostEvaluator) made.newInstance(arguments);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
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
