package tuner.steering.agent;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import scala.None$;

/** A shuffle by expressions, into as many partitions as Spark would by itself. */
public final class Shuffled {
  private Shuffled() {}

  /** Spark leaves it out where the rows come partitioned just so (EnsureRequirements). */
  public static LogicalPlan by(List keys, LogicalPlan plan) {
    return made(RepartitionByExpression.class, 4, keys, plan);
  }

  /** Spark makes it however the rows come: that is how it splits skewed partitions. */
  public static LogicalPlan anew(List keys, LogicalPlan plan) {
    return made(RebalancePartitions.class, 4, keys, plan);
  }

  /** Releases add what else it may be told: numbers and sizes of partitions. */
  private static LogicalPlan made(Class operator, int most, List keys, LogicalPlan plan) {
    try {
      Constructor[] all = operator.getConstructors();
      for (int i = 0; i < all.length; i++) {
        int number = all[i].getParameterTypes().length;
        if (number < 2 || number > most) continue;
        Object[] arguments = new Object[number];
        Arrays.fill(arguments, None$.MODULE$);
        arguments[0] = Trees.seq(keys);
        arguments[1] = plan;
        return (LogicalPlan) all[i].newInstance(arguments);
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
    throw new IllegalStateException("this Spark has another " + operator.getSimpleName());
  }
}
