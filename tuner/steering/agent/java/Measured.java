package tuner.steering.agent;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import scala.Option;
import scala.math.BigInt;

/** What a finished stage has counted. */
public final class Measured {
  // The most that a page takes (MemoryManager.pageSizeBytes).
  private static final long FIRST_PAGE = 64L << 20;

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
    return Math.min(size, Math.max(byRows, size - FIRST_PAGE));
  }
}
