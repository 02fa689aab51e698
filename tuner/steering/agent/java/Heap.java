package tuner.steering.agent;

import java.math.BigInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;

/**
 * How large a hash relation may be at most in this driver and these executors: a broadcast's as `tuner.spark.memory` has it, of the
 * heaps there are; a task's by a share of its own.
 */
public final class Heap {
  private static final long RESERVED_BYTES = 300L << 20;
  private static final double SHARE_OF_ONE = 0.10;
  private static final double SHARE_OF_QUERY = 0.20;
  // What is counted may take more than what is advised by other nights' sizes (ADVISED_SHARE_OF_TASK of tuner.spark.memory).
  private static final double MOST_SHARE_OF_TASK = 0.5;
  /** The most that a page takes (MemoryManager.pageSizeBytes). */
  public static final long PAGE_BYTES = 64L << 20;
  private static final long MAP_BYTES_PER_ROW = 40L;
  private static final long MAP_BYTES_PER_SLOT = 16L;
  // BroadcastExchangeExec.MAX_BROADCAST_TABLE_BYTES and maxBroadcastRows.
  private static final long MOST_BYTES = 8L << 30;
  private static final long MOST_ROWS = 357913941L;
  // Sets the former, from Spark 4.1 on.
  private static final String MOST_BYTES_SET = "spark.sql.maxBroadcastTableSize";

  private Heap() {}

  /** The most bytes of one relation, beside others of the same plan that take so many. */
  public static long mostBytes(long others) {
    SparkContext context = context();
    if (context == null) return 0;
    double unified = unifiedBytes(context);
    long one = Math.min((long) (unified * SHARE_OF_ONE), MOST_BYTES);
    long collected = context.getConf().getSizeAsBytes("spark.driver.maxResultSize", "1g");
    if (collected > 0) one = Math.min(one, collected);
    String most = SQLConf.get().getConfString(MOST_BYTES_SET, MOST_BYTES + "b");
    one = Math.min(one, mostCounted(JavaUtils.byteStringAsBytes(most)));
    return Math.max(0, Math.min(one, (long) (unified * SHARE_OF_QUERY) - others));
  }

  /** The most bytes of a relation of which Spark counts so many at most: it doubles its page, or takes another one, whole. */
  private static long mostCounted(long tableBytes) {
    return Math.min(tableBytes / 2, tableBytes - PAGE_BYTES);
  }

  /** The most bytes of what one task hashes, of what execution memory leaves each of its executor's tasks for certain. */
  public static long mostTaskBytes() {
    SparkContext context = context();
    if (context == null) return 0;
    double kept = context.getConf().getDouble("spark.memory.storageFraction", 0.5);
    double unified = Math.min(unifiedBytes(context), offHeapBytes(context.getConf()));
    return (long) (unified * (1 - kept) / Math.max(1, tasksOfOne(context)) * MOST_SHARE_OF_TASK);
  }

  /** Relations are there, where it is enabled, but those whose keys fit a long: the smaller counts. */
  private static double offHeapBytes(SparkConf conf) {
    long size = conf.getBoolean("spark.memory.offHeap.enabled", false) ? conf.getSizeAsBytes("spark.memory.offHeap.size", "0") : 0;
    return size > 0 ? size : Double.MAX_VALUE;
  }

  /** The application's; null where there is none. */
  public static SparkContext context() {
    Option context = SparkContext$.MODULE$.getActive();
    return context.isEmpty() ? null : (SparkContext) context.get();
  }

  private static double unifiedBytes(SparkContext context) {
    SparkConf conf = context.getConf();
    // The driver's heap as it is, which is also the executor's in local mode.
    long heap = Runtime.getRuntime().maxMemory();
    if (!context.isLocal()) heap = Math.min(heap, conf.getSizeAsMb("spark.executor.memory", "1g") << 20);
    return Math.max(0.0, (heap - RESERVED_BYTES) * conf.getDouble("spark.memory.fraction", 0.6));
  }

  /** Where it is not said, Spark's own managers give an executor all cores of a machine, at most all that there are. */
  private static int tasksOfOne(SparkContext context) {
    boolean one = context.master().startsWith("yarn") || context.master().startsWith("k8s");
    int cores = context.isLocal() ? 0 : context.getConf().getInt("spark.executor.cores", one ? 1 : 0);
    if (cores > 0) return cores / Math.max(1, context.getConf().getInt("spark.task.cpus", 1));
    int all = context.maxNumConcurrentTasks(context.resourceProfileManager().defaultResourceProfile());
    return all > 0 ? all : context.defaultParallelism();
  }

  /** Bytes of the hash relation of so many rows, which take so many bytes; Long.MAX_VALUE for more than Spark can build. */
  public static long relationBytes(BigInteger rows, BigInteger bytes) {
    if (rows.compareTo(BigInteger.valueOf(MOST_ROWS)) > 0 || bytes.compareTo(BigInteger.valueOf(MOST_BYTES)) > 0) {
      return Long.MAX_VALUE;
    }
    long number = rows.longValue();
    long slots = number == 0 ? 0 : 1L << (64 - Long.numberOfLeadingZeros(2 * number - 1));
    return bytes.longValue() + MAP_BYTES_PER_ROW * number + MAP_BYTES_PER_SLOT * slots;
  }
}
