package tuner.steering.agent;

import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import scala.Option;
import scala.math.BigInt;

/** What a finished stage has counted. */
public final class Measured {
  private Measured() {}

  /** Bytes of the hash relation that would be built of a stage's rows; -1 where they are not counted yet. */
  public static long relationBytes(SparkPlan plan) {
    if (!(plan instanceof QueryStageExec) || !((QueryStageExec) plan).isMaterialized()) return -1;
    Statistics found = ((QueryStageExec) plan).getRuntimeStatistics();
    Option rows = found.rowCount();
    if (rows.isEmpty()) return Long.MAX_VALUE;
    return Heap.relationBytes(((BigInt) rows.get()).bigInteger(), found.sizeInBytes().bigInteger());
  }
}
