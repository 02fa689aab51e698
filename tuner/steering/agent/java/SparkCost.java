package tuner.steering.agent;

import java.lang.reflect.Constructor;
import org.apache.spark.sql.execution.adaptive.CostEvaluator;
import org.apache.spark.sql.execution.adaptive.SimpleCostEvaluator;
import org.apache.spark.sql.internal.SQLConf;

/** How Spark itself compares the plans of adaptive execution. */
public final class SparkCost {
  private SparkCost() {}

  /** Whether this Spark's evaluator is one that is known. */
  public static boolean isKnown() {
    try {
      return evaluator() != null;
    } catch (Throwable error) {
      return false;
    }
  }

  /** Spark's own evaluator, which takes some more of the conf in some versions. */
  public static CostEvaluator evaluator() {
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
}
