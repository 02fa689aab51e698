package golden;

import java.nio.file.Paths;
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/** The applications, by name. */
final class Scenarios {
  private static final String TABLES = Workload.ROOT + "/tables/";

  private Scenarios() {}

  static Scenario named(String name) {
    switch (name) {
      case "tables":
        return (spark, truth) -> tables(spark);
      case "basic":
        return Scenarios::basic;
      case "small":
        return Scenarios::small;
      case "retries":
        return Faults.RETRIES;
      case "fetch":
        return Faults.FETCH;
      case "failures":
        return Faults.FAILURES;
      case "killed":
        return Faults.KILLED;
      case "speculation":
        return new Speculation();
      case "attempt-1":
      case "attempt-2":
        return new Attempt(name.substring("attempt-".length()));
      case "cache":
        return Scenarios::cache;
      case "commands":
        return new Commands();
      case "reuse":
        return Scenarios::reuse;
      case "rdd":
        return (spark, truth) -> rdd(spark);
      case "long":
        return Scenarios::manyLongDescriptions;
      default:
        throw new IllegalArgumentException(name);
    }
  }

  /** The tables of all others, as Parquet files: made once, in an application without an event log. */
  private static void tables(SparkSession spark) throws Exception {
    Workload.remove(Paths.get(TABLES));
    write(spark, 600, "id, id % 40 AS customer, CAST((id * 7) % 1000 AS INT) AS amount", "orders");
    write(spark, 50, "id, concat('s', id % 3) AS segment", "customers");
    write(spark, 60, "id * 7 AS order_id, concat('r', id % 10) AS reason", "returns");
    write(spark, 2, "concat('s', id) AS name", "segments");
    write(spark, 4, "id AS day, concat('d', id) AS label", "days");
    spark.range(0, 200, 1, 1).createOrReplaceTempView("numbers");
    spark.sql("SELECT id AS item, id % 4 AS day FROM numbers").write().partitionBy("day").parquet(TABLES + "sales");
  }

  private static void write(SparkSession spark, long rows, String columns, String table) {
    spark.range(0, rows, 1, 1).createOrReplaceTempView("numbers");
    spark.sql("SELECT " + columns + " FROM numbers").write().parquet(TABLES + table);
  }

  static void declare(SparkSession spark) {
    table(spark, "orders (id BIGINT, customer BIGINT, amount INT)");
    table(spark, "customers (id BIGINT, segment STRING)");
    table(spark, "returns (order_id BIGINT, reason STRING)");
    table(spark, "segments (name STRING)");
    table(spark, "days (day BIGINT, label STRING)");
  }

  private static void table(SparkSession spark, String schema) {
    spark.sql("CREATE TABLE " + schema + " USING parquet LOCATION '" + TABLES + schema.split(" ")[0] + "'");
  }

  private static void basic(SparkSession spark, Truth truth) {
    declare(spark);
    truth.query("three joins", "SELECT /*+ MERGE(c), SHUFFLE_HASH(r) */ o.id, c.segment, r.reason FROM orders o"
        + " JOIN customers c ON o.customer = c.id LEFT JOIN returns r ON o.id = r.order_id"
        + " JOIN segments s ON c.segment = s.name"
        + " WHERE o.amount > (SELECT avg(amount) FROM orders)");
    replanned(spark, truth);
  }

  private static void small(SparkSession spark, Truth truth) {
    declare(spark);
    replanned(spark, truth);
  }

  /** A plan that is cached when it is first used, by two queries. */
  private static void cache(SparkSession spark, Truth truth) {
    declare(spark);
    spark.conf().set("spark.sql.optimizer.canChangeCachedPlanOutputPartitioning", "true");
    spark.sql("CACHE LAZY TABLE kept AS SELECT /*+ MERGE(c) */ o.id, c.segment FROM orders o JOIN customers c"
        + " ON o.customer = c.id");
    truth.query("first use", "SELECT segment, count(*) FROM kept GROUP BY segment");
    truth.query("second use", "SELECT /*+ MERGE(r) */ k.id, r.reason FROM kept k JOIN returns r ON k.id = r.order_id");
  }

  /** An exchange and a subquery that are used twice, and partitions pruned by the other side of a join. */
  private static void reuse(SparkSession spark, Truth truth) {
    declare(spark);
    spark.read().parquet(TABLES + "sales").createOrReplaceTempView("sales");
    String totals = "(SELECT customer, sum(amount) AS total FROM orders GROUP BY customer)";
    truth.query("exchange", "SELECT /*+ MERGE(b) */ a.customer, a.total + b.total FROM " + totals + " a JOIN " + totals
        + " b ON a.customer = b.customer");
    String average = "(SELECT avg(amount) FROM orders)";
    truth.query("subquery", "SELECT id FROM orders WHERE amount > " + average
        + " UNION ALL SELECT customer FROM orders WHERE amount < " + average);
    truth.query("pruning", "SELECT s.item, d.label FROM sales s JOIN days d ON s.day = d.day WHERE d.label = 'd2'");
  }

  /** Stages and tasks without a SQL execution. */
  private static void rdd(SparkSession spark) {
    new JavaSparkContext(spark.sparkContext())
        .parallelize(Arrays.asList("a b", "b c", "c a"), 2)
        .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
        .mapToPair(word -> new Tuple2<>(word, 1))
        .reduceByKey(Integer::sum, 2)
        .collect();
  }

  /** Events so long that a few queries fill several files of a rolling log, and so dull that they take no room. */
  private static void manyLongDescriptions(SparkSession spark, Truth truth) {
    declare(spark);
    StringBuilder filler = new StringBuilder();
    while (filler.length() < 1 << 20) {
      filler.append(" and so on");
    }
    for (int i = 0; i < 5; i++) {
      truth.query("query " + i + filler, "SELECT c.segment, count(*) FROM orders o JOIN customers c"
          + " ON o.customer = c.id GROUP BY c.segment");
    }
  }

  /** A sort-merge join that AQE turns into a broadcast join. */
  private static void replanned(SparkSession spark, Truth truth) {
    spark.conf().set("spark.sql.autoBroadcastJoinThreshold", "600");
    truth.query("replanned", "SELECT r.reason, count(*) FROM orders o JOIN returns r ON o.id = r.order_id"
        + " WHERE r.reason IN ('r3', 'r4') GROUP BY r.reason");
  }
}
