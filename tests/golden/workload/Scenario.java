package golden;

import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** What one application does, and the properties it needs for it. */
interface Scenario {
  void run(SparkSession spark, Truth truth) throws Exception;

  default void configure(SparkConf conf) throws Exception {}
}
