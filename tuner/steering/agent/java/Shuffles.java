package tuner.steering.agent;

import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;

/** Where Spark by itself shuffles: what comes out of a shuffle comes in no promised order. In doubt it does not. */
public final class Shuffles {
  // Spark's default (SQLConf.AUTO_BROADCASTJOIN_THRESHOLD): a run may have a smaller one that is the tuner's.
  private static final long DEFAULT_THRESHOLD = 10L << 20;

  private Shuffles() {}

  /** Whether Spark shuffles both sides of a join that nobody hints (JoinSelection): none it may build is small. */
  public static boolean shuffles(Join join) {
    if (ExtractEquiJoinKeys$.MODULE$.unapply(join).isEmpty() || !JoinBlock.isFree(join)) return false;
    return !isBroadcast(join, true) && !isBroadcast(join, false);
  }

  private static boolean isBroadcast(Join join, boolean left) {
    ExtractSingleColumnNullAwareAntiJoin$ selection = ExtractSingleColumnNullAwareAntiJoin$.MODULE$;
    boolean builds = left ? selection.canBuildBroadcastLeft(join.joinType()) : selection.canBuildBroadcastRight(join.joinType());
    return builds && mayBeSmall(left ? join.left() : join.right());
  }

  /** Whether Spark may take a side for small enough to broadcast it, now or when it has planned what is read of it. */
  private static boolean mayBeSmall(LogicalPlan side) {
    long most = Math.max(SQLConf.get().autoBroadcastJoinThreshold(), DEFAULT_THRESHOLD);
    return side.stats().sizeInBytes().bigInteger().compareTo(BigInteger.valueOf(most)) <= 0 || mayShrink(side);
  }

  /** Whether a plan's size is not known yet: partitions to be pruned, tables that are asked when they are scanned, buckets. */
  private static boolean mayShrink(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) {
      if (!(plan instanceof LogicalRelation)) return plan instanceof DataSourceV2Relation;
      Object relation = ((LogicalRelation) plan).relation();
      return relation instanceof HadoopFsRelation && ((HadoopFsRelation) relation).bucketSpec().isDefined();
    }
    if (plan instanceof Filter && prunes((Filter) plan)) return true;
    for (int i = 0; i < children.size(); i++) if (mayShrink((LogicalPlan) children.get(i))) return true;
    return false;
  }

  private static boolean prunes(Filter filter) {
    if (!(filter.child() instanceof LogicalRelation)) return false;
    Object relation = ((LogicalRelation) filter.child()).relation();
    if (!(relation instanceof HadoopFsRelation)) return false;
    List columns = Trees.list(((Expression) filter.condition()).references());
    for (int i = 0; i < columns.size(); i++) {
      String name = ((AttributeReference) columns.get(i)).name();
      if (((HadoopFsRelation) relation).partitionSchema().getFieldIndex(name).isDefined()) return true;
    }
    return false;
  }

  /** Whether the rows of a plan come out of a shuffle: its own, or one on every way that its rows take. */
  public static boolean isBehind(LogicalPlan plan) {
    if (isOne(plan)) return true;
    if (plan instanceof Join) {
      Join join = (Join) plan;
      if (shuffles(join)) return true;
      boolean left = isBroadcast(join, true);
      // The rows of the other side pass by the table that is built.
      if (left != isBroadcast(join, false)) return isBehind(left ? join.right() : join.left());
    }
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) if (!isBehind((LogicalPlan) children.get(i))) return false;
    return !children.isEmpty();
  }

  /** Whether an operator shuffles its rows, or groups them, which takes a shuffle wherever they are not grouped already. */
  public static boolean isOne(LogicalPlan plan) {
    String name = plan.getClass().getSimpleName();
    if (plan instanceof Sort) return ((Sort) plan).global();
    if (plan instanceof Repartition) return ((Repartition) plan).shuffle();
    return name.equals("Aggregate") || name.equals("Window") || name.equals("Distinct")
        || name.equals("RepartitionByExpression") || name.equals("RebalancePartitions");
  }
}
