package tests.airflow_plugin;

import java.io.PrintWriter;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** One statement over a folder of tables. Arguments: the folder, the statement, the file that gets the rows. */
public class JoinJob {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("join job").getOrCreate();
    String[] names = new String[] {"facts", "dims"};
    for (int i = 0; i < names.length; i++) {
      spark.read().parquet(arguments[0] + "/" + names[i]).createOrReplaceTempView(names[i]);
    }
    List rows = spark.sql(arguments[1]).collectAsList();
    PrintWriter out = new PrintWriter(arguments[2], "UTF-8");
    for (int i = 0; i < rows.size(); i++) {
      out.println(((Row) rows.get(i)).mkString("\t"));
    }
    out.close();
    spark.stop();
  }
}
