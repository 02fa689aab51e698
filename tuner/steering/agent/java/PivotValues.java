package tuner.steering.agent;

import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.internal.SQLConf;

/** The query that Spark runs by itself for the values of `pivot(column)` (RelationalGroupedDataset.collectPivotValues). */
public final class PivotValues {
  private PivotValues() {}

  /**
   * What is below the limit of such a query: the values of one column, each once, of which it takes all that are sorted
   * above, or the job fails. Null of other plans.
   */
  public static LogicalPlan belowLimit(LogicalPlan plan) {
    if (!(plan instanceof Sort) || !((Sort) plan).global()) return null;
    LogicalPlan limit = ((Sort) plan).child();
    if (!(limit instanceof GlobalLimit) || !isOneMoreThanItTakes((GlobalLimit) limit)) return null;
    LogicalPlan local = ((GlobalLimit) limit).child();
    if (!(local instanceof LocalLimit)) return null;
    LogicalPlan values = ((LocalLimit) local).child();
    Set columns = Trees.output(values);
    boolean areSorted = columns.size() == 1 && Shuffles.columns(((Sort) plan).order()).equals(columns);
    return areSorted && isDistinct(values) ? values : null;
  }

  private static boolean isOneMoreThanItTakes(GlobalLimit limit) {
    return limit.limitExpr().toString().equals(String.valueOf(SQLConf.get().dataFramePivotMaxValues() + 1));
  }

  private static boolean isDistinct(LogicalPlan values) {
    if (!(values instanceof Aggregate)) return false;
    Aggregate groups = (Aggregate) values;
    return Trees.list(groups.groupingExpressions()).equals(Trees.list(groups.aggregateExpressions()));
  }
}
