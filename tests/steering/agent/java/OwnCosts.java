package tests.steering;

import org.apache.spark.sql.execution.adaptive.SimpleCostEvaluator;

/** What a job has plans compared by: as Spark does. */
public class OwnCosts extends SimpleCostEvaluator {
  public OwnCosts() {
    super(false, false);
  }
}
