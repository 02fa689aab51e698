package golden;

import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;

/** Applications in which something goes wrong. */
final class Faults {
  private static final String JOIN = " FROM orders o JOIN customers c ON o.customer = c.id";
  private static final int LATE = 300; // ids above it come after others of the same task

  private Faults() {}

  /** Tasks that fail once, after some of their rows. */
  static final Scenario RETRIES = new Scenario() {
    @Override
    public void configure(SparkConf conf) {
      conf.setMaster("local[2,4]");
    }

    @Override
    public void run(SparkSession spark, Truth truth) {
      Scenarios.declare(spark);
      spark.udf().register("stumble", (UDF2<Long, Long, Long>) (order, customer) -> {
        if (order > LATE && TaskContext.get().attemptNumber() == 0) {
          throw new IllegalStateException("the first attempt fails");
        }
        return order;
      }, DataTypes.LongType);
      truth.query("retried", "SELECT /*+ MERGE(c) */ stumble(o.id, c.id)" + JOIN);
    }
  };

  /** A stage whose first attempt cannot fetch a map output, so that the map stage runs again too. */
  static final Scenario FETCH = (spark, truth) -> {
    Scenarios.declare(spark);
    spark.udf().register("lose", (UDF2<Long, Long, Long>) (order, customer) -> {
      if (order > LATE && TaskContext.get().stageAttemptNumber() == 0) {
        throw lost(TaskContext.getPartitionId());
      }
      return order;
    }, DataTypes.LongType);
    truth.query("fetched twice", "SELECT /*+ MERGE(c) */ lose(o.id, c.id)" + JOIN);
  };

  private static FetchFailedException lost(int partition) {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    int shuffle = (Integer) tracker.shuffleStatuses().keySet().min(scala.math.Ordering.Int$.MODULE$);
    return new FetchFailedException(
        SparkEnv.get().blockManager().blockManagerId(), shuffle, 0L, 0, partition, "the map output is lost", null);
  }

  /** A query that fails, and one that is cancelled. */
  static final Scenario FAILURES = (spark, truth) -> {
    Scenarios.declare(spark);
    spark.udf().register("refuse", (UDF1<Long, Long>) id -> {
      throw new IllegalStateException("no");
    }, DataTypes.LongType);
    linger(spark);
    truth.query("succeeds", "SELECT /*+ MERGE(c) */ o.id" + JOIN);
    truth.failing("fails", "SELECT /*+ MERGE(c) */ refuse(o.id)" + JOIN);
    Thread canceller = new Thread(() -> {
      waitForJob(spark, "cancelled");
      spark.sparkContext().cancelJobGroup("cancelled");
    });
    canceller.start();
    spark.sparkContext().setJobGroup("cancelled", "cancelled", true);
    truth.failing("cancelled", "SELECT linger(id) FROM orders");
    canceller.join();
    spark.sparkContext().clearJobGroup();
  };

  /** An application that is killed while a query runs. */
  static final Scenario KILLED = (spark, truth) -> {
    Scenarios.declare(spark);
    linger(spark);
    truth.query("ends", "SELECT /*+ MERGE(c) */ o.id" + JOIN);
    Thread killer = new Thread(() -> {
      waitForJob(spark, "killed");
      try {
        truth.write();
      } catch (Exception unwritten) {
        Runtime.getRuntime().halt(1);
      }
      Runtime.getRuntime().halt(0);
    });
    killer.start();
    spark.sparkContext().setJobGroup("killed", "killed", true);
    truth.query("does not end", "SELECT linger(id) FROM orders");
  };

  private static void linger(SparkSession spark) {
    spark.udf().register("linger", (UDF1<Long, Long>) id -> {
      Thread.sleep(60_000);
      return id;
    }, DataTypes.LongType);
  }

  private static void waitForJob(SparkSession spark, String group) {
    try {
      while (spark.sparkContext().statusTracker().getJobIdsForGroup(group).length == 0) {
        Thread.sleep(50);
      }
      Thread.sleep(1000);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
