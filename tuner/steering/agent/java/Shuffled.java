package tuner.steering.agent;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec$;
import org.apache.spark.sql.internal.SQLConf;
import scala.None$;

/** A shuffle by expressions, into as many partitions as Spark would by itself. */
public final class Shuffled {
  private static final TreeNodeTag FOR_JOIN = new TreeNodeTag("tuner.steering.agent.shuffledForJoin");

  private Shuffled() {}

  /** To be planned as if the join above asked for it: where it is a user's, Spark splits no skewed partitions (OptimizeSkewedJoin). */
  public static LogicalPlan forJoin(LogicalPlan shuffle) {
    shuffle.setTagValue(FOR_JOIN, Boolean.TRUE);
    return shuffle;
  }

  public static boolean isForJoin(LogicalPlan plan) {
    // AQE hands tags on to the stage that takes its place.
    boolean shuffles = plan instanceof RebalancePartitions || plan instanceof RepartitionByExpression;
    return shuffles && plan.getTagValue(FOR_JOIN).isDefined();
  }

  /** The exchange of such a shuffle, of what is planned below it. */
  public static SparkPlan exchange(LogicalPlan plan, SparkPlan child) throws ReflectiveOperationException {
    Constructor made = ShuffleExchangeExec.class.getConstructors()[0];
    Object[] arguments = new Object[made.getParameterTypes().length];
    arguments[0] = new HashPartitioning(keys(plan), SQLConf.get().numShufflePartitions());
    arguments[1] = child;
    // Where it comes from, and what releases add: EnsureRequirements says nothing of these either.
    for (int i = 2; i < arguments.length; i++) arguments[i] = byDefault(i + 1);
    return (SparkPlan) made.newInstance(arguments);
  }

  private static scala.collection.immutable.List keys(LogicalPlan plan) {
    boolean rebalances = plan instanceof RebalancePartitions;
    return Trees.seq(Trees.list(rebalances ? ((RebalancePartitions) plan).partitionExpressions()
        : ((RepartitionByExpression) plan).partitionExpressions()));
  }

  private static Object byDefault(int argument) throws ReflectiveOperationException {
    String name = "$lessinit$greater$default$" + argument;
    return ShuffleExchangeExec$.class.getMethod(name, new Class[0]).invoke(ShuffleExchangeExec$.MODULE$, new Object[0]);
  }

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
