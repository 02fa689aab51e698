package tuner.steering.agent;

import java.lang.reflect.Constructor;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import scala.None$;

/** A shuffle by expressions, into as many partitions as Spark would by itself. */
public final class Shuffled {
  private Shuffled() {}

  /** From Spark 3.5 on it takes a size of partitions, too. */
  public static LogicalPlan by(List keys, LogicalPlan plan) {
    try {
      Constructor[] all = RepartitionByExpression.class.getConstructors();
      for (int i = 0; i < all.length; i++) {
        int number = all[i].getParameterTypes().length;
        if (number == 3) return (LogicalPlan) all[i].newInstance(new Object[] {Trees.seq(keys), plan, None$.MODULE$});
        if (number == 4) {
          return (LogicalPlan) all[i].newInstance(new Object[] {Trees.seq(keys), plan, None$.MODULE$, None$.MODULE$});
        }
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
    throw new IllegalStateException("this Spark has another RepartitionByExpression");
  }
}
