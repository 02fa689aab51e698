package golden;

import java.nio.file.Paths;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** Queries inside commands: what they read and join is written somewhere. */
final class Commands implements Scenario {
  private static final String QUERY =
      "SELECT /*+ MERGE(c) */ o.id, c.segment FROM orders o JOIN customers c ON o.customer = c.id";

  @Override
  public void configure(SparkConf conf) throws Exception {
    Workload.remove(Paths.get(Workload.ROOT, "warehouse"));
    conf.set("spark.sql.catalog.derby", "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
        .set("spark.sql.catalog.derby.url", "jdbc:derby:memory:golden;create=true")
        .set("spark.sql.catalog.derby.driver", "org.apache.derby.jdbc.EmbeddedDriver");
  }

  @Override
  public void run(SparkSession spark, Truth truth) throws Exception {
    Scenarios.declare(spark);
    described(spark, "noop", () -> spark.sql(QUERY).write().format("noop").mode(SaveMode.Overwrite).save());
    described(spark, "create", () -> spark.sql("CREATE TABLE made USING parquet AS " + QUERY));
    described(spark, "insert", () -> spark.sql("INSERT INTO made " + QUERY));
    described(spark, "save", () -> spark.sql(QUERY).write().parquet(Workload.ROOT + "/warehouse/saved"));
    described(spark, "append", () -> spark.sql(QUERY).write().mode(SaveMode.Append).insertInto("made"));
    if (!spark.version().startsWith("3.0.")) {
      described(spark, "catalog", () -> spark.sql(QUERY).writeTo("derby.APP.MADE").create());
    }
  }

  private static void described(SparkSession spark, String description, Command command) throws Exception {
    spark.sparkContext().setJobDescription(description);
    command.run();
    spark.sparkContext().setJobDescription(null);
  }

  private interface Command {
    void run() throws Exception;
  }
}
