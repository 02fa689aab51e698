package tuner.steering.agent;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.spark.MapOutputStatistics;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
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

  /**
   * Bytes of the hash relation that one task would build of a stage's rows at most, where what is above the stage keeps no more;
   * -1 where they are not counted yet. Small partitions are put together to what adaptive execution aims at.
   */
  public static long taskBytes(SparkPlan plan) {
    while (!(plan instanceof QueryStageExec) && plan.children().size() == 1) plan = (SparkPlan) plan.children().head();
    if (!(plan instanceof ShuffleQueryStageExec) || !((ShuffleQueryStageExec) plan).isMaterialized()) return -1;
    Statistics found = ((QueryStageExec) plan).getRuntimeStatistics();
    Option written = ((ShuffleQueryStageExec) plan).mapStats();
    if (found.rowCount().isEmpty() || written.isEmpty()) return -1;
    long[] partitions = ((MapOutputStatistics) written.get()).bytesByPartitionId();
    double largest = ((Long) SQLConf.get().getConf(SQLConf$.MODULE$.ADVISORY_PARTITION_SIZE_IN_BYTES())).doubleValue();
    double sum = 0;
    for (int i = 0; i < partitions.length; i++) {
      largest = Math.max(largest, partitions[i]);
      sum += partitions[i];
    }
    largest = Math.min(sum, largest + hidden(((ShuffleQueryStageExec) plan).shuffle(), partitions.length));
    BigDecimal share = BigDecimal.valueOf(sum == 0 ? 1.0 : Math.min(1.0, largest / sum));
    BigInteger rows = part(((BigInt) found.rowCount().get()).bigInteger(), share);
    return Heap.relationBytes(rows, part(found.sizeInBytes().bigInteger(), share));
  }

  /**
   * Bytes that a partition may have beyond those that are told of it: of many partitions each map task tells but the mean of those
   * blocks that are no larger than a threshold (HighlyCompressedMapStatus).
   */
  private static double hidden(ShuffleExchangeLike shuffle, int partitions) {
    SparkConf conf = Heap.context().getConf();
    if (partitions <= conf.getInt("spark.shuffle.minNumPartitionsToHighlyCompress", 2000)) return 0;
    return (double) shuffle.numMappers() * conf.getSizeAsBytes("spark.shuffle.accurateBlockThreshold", "100m");
  }

  private static BigInteger part(BigInteger whole, BigDecimal share) {
    return new BigDecimal(whole).multiply(share).toBigInteger();
  }

  /**
   * Bytes that the rows of a broadcast relation take, by the types of their columns: Spark counts its first page whole, which ten
   * rows leave all but empty. 0 while it is built.
   */
  public static long heldBytes(SparkPlan stage) {
    if (!((QueryStageExec) stage).isMaterialized()) return 0;
    Statistics found = ((QueryStageExec) stage).getRuntimeStatistics();
    long size = found.sizeInBytes().bigInteger().min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    if (found.rowCount().isEmpty()) return size;
    long rowBytes = 0;
    List columns = Trees.list(stage.output());
    for (int i = 0; i < columns.size(); i++) rowBytes += 8 + ((Attribute) columns.get(i)).dataType().defaultSize();
    BigInteger rows = ((BigInt) found.rowCount().get()).bigInteger();
    long byRows = Heap.relationBytes(rows, rows.multiply(BigInteger.valueOf(rowBytes)));
    return Math.min(size, Math.max(byRows, size - Heap.PAGE_BYTES));
  }
}
