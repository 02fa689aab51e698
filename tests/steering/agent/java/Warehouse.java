package tests.steering;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * An application with joins in SQL and of Datasets. Arguments: a folder of tables, the statement, and the file that gets the
 * rows: columns parted by tabs, those of Datasets behind a name.
 */
public class Warehouse {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("warehouse").getOrCreate();
    String[] names = new String[] {"orders", "customers", "items", "stores", "regions"};
    for (int i = 0; i < names.length; i++) {
      spark.read().parquet(arguments[0] + "/" + names[i]).createOrReplaceTempView(names[i]);
    }
    List lines = new ArrayList();
    describe(spark, "sql");
    add(lines, "", spark.sql(arguments[1]));
    describe(spark, "datasets");
    add(lines, "datasets\t", joined(spark));
    Collections.sort(lines);
    PrintWriter out = new PrintWriter(arguments[2], "UTF-8");
    for (int i = 0; i < lines.size(); i++) {
      out.println((String) lines.get(i));
    }
    out.close();
    spark.stop();
  }

  private static Dataset joined(SparkSession spark) {
    Dataset orders = spark.table("orders");
    Dataset stores = spark.table("stores").withColumnRenamed("id", "s_id").withColumnRenamed("region", "s_region");
    Dataset items = spark.table("items").withColumnRenamed("id", "i_id");
    Dataset regions = spark.table("regions").withColumnRenamed("id", "g_id").withColumnRenamed("name", "g_name");
    return orders
        .join(stores, orders.col("store").equalTo(stores.col("s_id")))
        .join(items, orders.col("item").equalTo(items.col("i_id")))
        .join(regions, stores.col("s_region").equalTo(regions.col("g_id")))
        .select("id", new String[] {"city", "brand", "g_name"});
  }

  private static void describe(SparkSession spark, String description) {
    spark.sparkContext().setJobDescription(description);
  }

  private static void add(List lines, String name, Dataset rows) {
    List collected = rows.collectAsList();
    for (int i = 0; i < collected.size(); i++) {
      Row row = (Row) collected.get(i);
      StringBuilder line = new StringBuilder(name);
      for (int k = 0; k < row.length(); k++) {
        line.append(k == 0 ? "" : "\t").append(row.isNullAt(k) ? "NULL" : row.get(k).toString());
      }
      lines.add(line.toString());
    }
  }
}
