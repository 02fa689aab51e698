package golden;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.ExternalClusterManager;
import org.apache.spark.scheduler.SchedulerBackend;
import org.apache.spark.scheduler.TaskScheduler;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.local.LocalSchedulerBackend;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** One of several attempts of an application, as cluster managers start them. */
final class Attempt implements Scenario {
  private static final String MASTER = "golden";
  private final String number;

  Attempt(String number) {
    this.number = number;
  }

  @Override
  public void configure(SparkConf conf) {
    conf.setMaster(MASTER).set("spark.golden.attempt", number);
  }

  @Override
  public void run(SparkSession spark, Truth truth) {
    Scenarios.declare(spark);
    truth.query("attempt " + number, "SELECT count(*) FROM orders");
  }

  /** Runs tasks in the driver, under an application id and an attempt number of its own. */
  public static final class Manager implements ExternalClusterManager {
    @Override
    public boolean canCreate(String master) {
      return master.equals(MASTER);
    }

    @Override
    public TaskScheduler createTaskScheduler(SparkContext context, String master) {
      return new TaskSchedulerImpl(context);
    }

    @Override
    public SchedulerBackend createSchedulerBackend(SparkContext context, String master, TaskScheduler scheduler) {
      String attempt = context.getConf().get("spark.golden.attempt");
      return new LocalSchedulerBackend(context.getConf(), (TaskSchedulerImpl) scheduler, 2) {
        @Override
        public String applicationId() {
          return "application_1700000000000_0001";
        }

        @Override
        public Option<String> applicationAttemptId() {
          return Option.apply(attempt);
        }
      };
    }

    @Override
    public void initialize(TaskScheduler scheduler, SchedulerBackend backend) {
      ((TaskSchedulerImpl) scheduler).initialize(backend);
    }
  }
}
