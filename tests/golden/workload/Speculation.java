package golden;

import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;

/** A task that is so slow that it is run a second time: on another host, therefore on a cluster of two. */
final class Speculation implements Scenario {
  private static final String MASTER = "spark://127.0.0.1:17077";

  @Override
  public void configure(SparkConf conf) throws Exception {
    start("master", () -> Master.main(new String[] {"--host", "127.0.0.1", "--port", "17077", "--webui-port", "0"}));
    for (String host : new String[] {"127.0.0.2", "127.0.0.3"}) {
      String work = Workload.ROOT + "/tmp/" + host;
      String[] arguments = {"--host", host, "--cores", "1", "--memory", "600m", "--webui-port", "0", "-d", work, MASTER};
      start("worker " + host, () -> Worker.main(arguments));
    }
    conf.setMaster(MASTER)
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.executor.memory", "512m")
        .set("spark.executor.extraClassPath", Workload.ROOT + "/classes")
        .set("spark.executor.extraJavaOptions", ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("--add-opens") || option.startsWith("-XX:+"))
            .collect(Collectors.joining(" ")))
        .set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .set("spark.scheduler.minRegisteredResourcesRatio", "1")
        .set("spark.speculation", "true")
        .set("spark.speculation.interval", "100ms")
        .set("spark.speculation.multiplier", "1.1")
        .set("spark.speculation.quantile", "0.5");
  }

  private static void start(String name, Runnable daemon) throws Exception {
    Thread thread = new Thread(daemon, name);
    thread.setDaemon(true);
    thread.start();
    Thread.sleep(3000);
  }

  @Override
  public void run(SparkSession spark, Truth truth) throws Exception {
    Scenarios.declare(spark);
    spark.udf().register("straggle", (UDF2<Long, Long, Long>) (order, customer) -> {
      TaskContext task = TaskContext.get();
      if (order > 500 && task.partitionId() == 0 && task.attemptNumber() == 0) {
        Thread.sleep(60_000);
      }
      return order;
    }, DataTypes.LongType);
    truth.query("speculated", "SELECT /*+ MERGE(c) */ straggle(o.id, c.id) FROM orders o JOIN customers c"
        + " ON o.customer = c.id");
    Thread.sleep(2000); // until the slow attempt is killed
  }
}
