package tuner.steering.agent;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.PruneFileSourcePartitions$;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown$;

/** How large the relations below an operator are by the planner's own estimates, which follow the files there are. */
public final class Sizes {
  // A hash relation by Heap.relationBytes is 6 times its Parquet files of random longs, 26 times those of a key that repeats, a
  // flag and a short text.
  private static final int EXPANSION = 16;
  // Heap.mostBytes is a tenth of the memory for execution and storage; what takes half of that endangers the driver.
  private static final int ENDANGERS = 5;
  // What says no size says Long.MaxValue (spark.sql.defaultSizeInBytes).
  private static final BigInteger UNKNOWN = BigInteger.ONE.shiftLeft(60);

  private Sizes() {}

  /**
   * Whether a filter may keep so much of a side tomorrow that memory is in danger, of files that are as large as today: a flag
   * that was rare is set in all rows.
   */
  public static boolean mayOutgrow(LogicalPlan side, long mostBytes) {
    return drops(side) && endangers(ofLeaves(side), mostBytes);
  }

  /**
   * Whether a side has a table whose files are more than its statistics say, and so many that memory is in danger: the planner goes
   * by what ANALYZE TABLE once found, whatever was written since.
   */
  public static boolean hasOutgrownStatistics(LogicalPlan side, long mostBytes) {
    List operators = Trees.everything(side);
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      BigInteger listed = BigInteger.valueOf(ListedFiles.bytes(one));
      if (listed.signum() <= 0 || !endangers(listed, mostBytes)) continue;
      if (listed.compareTo(one.stats().sizeInBytes().bigInteger()) > 0) return true;
    }
    return false;
  }

  private static boolean endangers(BigInteger bytes, long mostBytes) {
    BigInteger most = BigInteger.valueOf(mostBytes).multiply(BigInteger.valueOf(ENDANGERS));
    return bytes.multiply(BigInteger.valueOf(EXPANSION)).compareTo(most) > 0;
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

  /**
   * Which item of a block is larger or smaller, or keeps more rows, than its order was measured, or holds, for: in the nearest of
   * its ranges; null where the block is within one of them, or any size will do.
   */
  public static Held obstacle(List plans, List ranges) {
    List sizes = new ArrayList();
    for (int i = 0; !ranges.isEmpty() && i < plans.size(); i++) sizes.add(ofLeaves((LogicalPlan) plans.get(i)));
    Held nearest = null;
    double least = 0;
    for (int i = 0; i < ranges.size(); i++) {
      List range = (List) ranges.get(i);
      double distance = distance(sizes, range);
      Held held = distance > 0 ? otherSizes(sizes, range, ranges.size()) : moreRows(plans, range);
      if (held == null) return null;
      if (nearest == null || distance < least) {
        nearest = held;
        least = distance;
      }
    }
    return nearest;
  }

  /** How many times as large, or as small, the size is that is farthest from its bounds; 0 where all are within. */
  private static double distance(List sizes, List range) {
    double most = 0;
    for (int i = 0; i < sizes.size(); i++) {
      BigInteger size = (BigInteger) sizes.get(i);
      Directives.Bounds bounds = (Directives.Bounds) range.get(i);
      if (isWithin(size, bounds)) continue;
      double larger = (size.doubleValue() + 1) / (bounds.mostBytes + 1.0);
      double smaller = (bounds.leastBytes + 1.0) / (size.doubleValue() + 1);
      most = Math.max(most, Math.max(larger, smaller));
    }
    return most;
  }

  private static boolean isWithin(BigInteger size, Directives.Bounds bounds) {
    boolean reaches = size.compareTo(BigInteger.valueOf(bounds.leastBytes)) >= 0;
    return reaches && size.compareTo(BigInteger.valueOf(bounds.mostBytes)) <= 0;
  }

  private static Held otherSizes(List sizes, List range, int ranges) {
    for (int i = 0; i < sizes.size(); i++) {
      BigInteger size = (BigInteger) sizes.get(i);
      Directives.Bounds bounds = (Directives.Bounds) range.get(i);
      if (!isWithin(size, bounds)) return Held.otherSizes(size, bounds.leastBytes, bounds.mostBytes, ranges);
    }
    return null;
  }

  private static Held moreRows(List plans, List range) {
    for (int i = 0; i < plans.size(); i++) {
      long most = ((Directives.Bounds) range.get(i)).mostRows;
      long rows = most > 0 ? KeptRows.least((LogicalPlan) plans.get(i)) : 0;
      if (rows > most) return Held.moreRows(rows, most);
    }
    return null;
  }

  /**
   * As a log tells them. Before Spark has pushed filters and columns to them, tables of the second API are as large as all that
   * they hold, and those of a catalog in partitions as their statistics say, or larger than anything where there are none.
   */
  private static BigInteger ofLeaves(LogicalPlan plan) {
    LogicalPlan asked = hasTables(plan) ? (LogicalPlan) V2ScanRelationPushDown$.MODULE$.apply(plan) : plan;
    return sum(pruned(asked));
  }

  /**
   * A plan whose tables in partitions are pruned to those that its filters ask for, as Spark prunes them a little later: what is
   * pruned already, it leaves, and no metastore is asked twice.
   */
  public static LogicalPlan pruned(LogicalPlan plan) {
    return HivePartitions.pruned(hasPartitions(plan) ? (LogicalPlan) PruneFileSourcePartitions$.MODULE$.apply(plan) : plan);
  }

  private static boolean hasTables(LogicalPlan plan) {
    List leaves = Trees.leaves(plan);
    for (int i = 0; i < leaves.size(); i++) if (leaves.get(i) instanceof DataSourceV2Relation) return true;
    return false;
  }

  private static boolean hasPartitions(LogicalPlan plan) {
    List leaves = Trees.leaves(plan);
    for (int i = 0; i < leaves.size(); i++) if (ListedFiles.areInPartitions((LogicalPlan) leaves.get(i))) return true;
    return false;
  }

  /** Of a table in partitions that is read whole, and that nobody analysed, Spark knows no size until it lists its files. */
  private static BigInteger ofLeaf(LogicalPlan leaf) {
    BigInteger size = leaf.stats().sizeInBytes().bigInteger();
    long listed = size.compareTo(UNKNOWN) < 0 ? -1 : ListedFiles.bytesOfAllPartitions(leaf);
    return listed < 0 ? size : BigInteger.valueOf(listed);
  }

  /** What IN and EXISTS look in: it will be joined to the relation whose rows they test, and a log counts both. */
  private static BigInteger ofTested(LogicalPlan plan) {
    List tested = Trees.tested(plan);
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < tested.size(); i++) sum = sum.add(ofLeaves((LogicalPlan) tested.get(i)));
    return sum;
  }

  private static BigInteger sum(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return ofLeaf(plan);
    BigInteger sum = ofTested(plan);
    for (int i = 0; i < children.size(); i++) sum = sum.add(sum((LogicalPlan) children.get(i)));
    return sum;
  }
}
