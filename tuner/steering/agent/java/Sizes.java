package tuner.steering.agent;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown$;

/** How large the relations below an operator are by the planner's own estimates, which follow the files there are. */
public final class Sizes {
  // A hash relation by Heap.relationBytes is 6 times its Parquet files of random longs, 26 times those of a key that repeats, a
  // flag and a short text.
  private static final int EXPANSION = 16;
  // Heap.mostBytes is a tenth of the memory for execution and storage; what takes half of that endangers the driver.
  private static final int ENDANGERS = 5;

  private Sizes() {}

  /**
   * Whether a filter may keep so much of a side tomorrow that memory is in danger, of files that are as large as today: a flag
   * that was rare is set in all rows.
   */
  public static boolean mayOutgrow(LogicalPlan side, long mostBytes) {
    BigInteger most = BigInteger.valueOf(mostBytes).multiply(BigInteger.valueOf(ENDANGERS));
    return drops(side) && ofLeaves(side).multiply(BigInteger.valueOf(EXPANSION)).compareTo(most) > 0;
  }

  /** Whether a plan drops rows by more than null checks, which Spark adds by itself, or puts groups together. */
  public static boolean drops(LogicalPlan plan) {
    List operators = Trees.everything(plan);
    for (int i = 0; i < operators.size(); i++) {
      if (operators.get(i) instanceof Aggregate) return true;
      if (operators.get(i) instanceof Filter && drops(((Filter) operators.get(i)).condition())) return true;
    }
    return false;
  }

  private static boolean drops(Expression condition) {
    if (condition instanceof And) return drops(((And) condition).left()) || drops(((And) condition).right());
    return !(condition instanceof IsNotNull);
  }

  /** Why a side is too large for what it was measured to be; null where it is not, or where any size will do. */
  public static Held obstacle(LogicalPlan side, long mostBytes) {
    if (mostBytes <= 0) return null;
    BigInteger size = ofLeaves(side);
    if (size.compareTo(BigInteger.valueOf(mostBytes)) <= 0) return null;
    return new Held(Held.LARGER_SIDE, "the relations of that side have grown to " + size + " bytes, the most is " + mostBytes)
        .with("bytes", size).with("most_bytes", BigInteger.valueOf(mostBytes));
  }

  /** Which item of a block is larger or smaller, or keeps more rows, than its order was measured, or holds, for; null for none. */
  public static Held obstacle(List plans, List bounds) {
    for (int i = 0; i < bounds.size(); i++) {
      Held held = obstacle((LogicalPlan) plans.get(i), (Directives.Bounds) bounds.get(i));
      if (held != null) return held;
    }
    return null;
  }

  private static Held obstacle(LogicalPlan item, Directives.Bounds bounds) {
    BigInteger size = ofLeaves(item);
    BigInteger least = BigInteger.valueOf(bounds.leastBytes);
    BigInteger most = BigInteger.valueOf(bounds.mostBytes);
    if (size.compareTo(least) < 0 || size.compareTo(most) > 0) {
      String reason = "a relation of its block has " + size + " bytes, the order holds from " + least + " to " + most;
      return new Held(Held.OTHER_SIZES, reason).with("bytes", size).with("least_bytes", least).with("most_bytes", most);
    }
    long rows = bounds.mostRows > 0 ? KeptRows.least(item) : 0;
    if (rows <= bounds.mostRows) return null;
    String reason = "a filter keeps " + rows + " rows or more by the histogram of its column, the order holds for "
        + bounds.mostRows;
    return new Held(Held.MORE_ROWS, reason).with("rows", BigInteger.valueOf(rows))
        .with("most_rows", BigInteger.valueOf(bounds.mostRows));
  }

  private static BigInteger ofLeaves(LogicalPlan plan) {
    // Before their filters and columns are pushed to them, tables of the second API are as large as all that they hold.
    return sum(hasTables(plan) ? (LogicalPlan) V2ScanRelationPushDown$.MODULE$.apply(plan) : plan);
  }

  private static boolean hasTables(LogicalPlan plan) {
    if (plan instanceof DataSourceV2Relation) return true;
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) if (hasTables((LogicalPlan) children.get(i))) return true;
    return false;
  }

  private static BigInteger sum(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return plan.stats().sizeInBytes().bigInteger();
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < children.size(); i++) sum = sum.add(sum((LogicalPlan) children.get(i)));
    return sum;
  }
}
