package tuner.steering.agent;

import java.math.BigInteger;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
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
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.internal.SQLConf;

/** Where Spark by itself shuffles: what comes out of a shuffle comes in no promised order. In doubt it does not. */
public final class Shuffles {
  // Spark's default (SQLConf.AUTO_BROADCASTJOIN_THRESHOLD): a run may have a smaller one that is the tuner's.
  private static final long DEFAULT_THRESHOLD = 10L << 20;
  private static final String IN_PLACE = "spark.sql.sources.v2.bucketing.enabled";

  // What was found of plans: questions about joins above ask it again.
  private final IdentityHashMap shrinking = new IdentityHashMap();
  private final IdentityHashMap shuffled = new IdentityHashMap();

  /** Whether Spark shuffles both sides of a join that nobody hints (JoinSelection): none it may build is small. */
  public boolean shuffles(Join join) {
    if (ExtractEquiJoinKeys$.MODULE$.unapply(join).isEmpty() || !JoinBlock.isFree(join)) return false;
    return !mayBroadcast(join, true) && !mayBroadcast(join, false);
  }

  private boolean mayBroadcast(Join join, boolean left) {
    ExtractSingleColumnNullAwareAntiJoin$ selection = ExtractSingleColumnNullAwareAntiJoin$.MODULE$;
    boolean builds = left ? selection.canBuildBroadcastLeft(join.joinType()) : selection.canBuildBroadcastRight(join.joinType());
    return builds && mayBeSmall(left ? join.left() : join.right());
  }

  /** Whether Spark may take a side for small enough to broadcast it, now or when it has planned what is read of it. */
  private boolean mayBeSmall(LogicalPlan side) {
    long most = Math.max(SQLConf.get().autoBroadcastJoinThreshold(), DEFAULT_THRESHOLD);
    return side.stats().sizeInBytes().bigInteger().compareTo(BigInteger.valueOf(most)) <= 0 || mayShrink(side);
  }

  /** Whether a plan's size is not known yet: partitions to be pruned, tables that are asked when they are scanned, buckets. */
  private boolean mayShrink(LogicalPlan plan) {
    Boolean known = (Boolean) shrinking.get(plan);
    if (known == null) {
      known = Boolean.valueOf(findsShrinking(plan));
      shrinking.put(plan, known);
    }
    return known.booleanValue();
  }

  private boolean findsShrinking(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return isUnsized(plan);
    if (plan instanceof Filter && prunes((Filter) plan)) return true;
    for (int i = 0; i < children.size(); i++) if (mayShrink((LogicalPlan) children.get(i))) return true;
    return false;
  }

  private static boolean isUnsized(LogicalPlan leaf) {
    if (leaf instanceof DataSourceV2Relation) return true;
    if (leaf instanceof HiveTableRelation) return ((HiveTableRelation) leaf).isPartitioned();
    // Tables that are partitioned alike are joined as they lie.
    if (leaf instanceof DataSourceV2ScanRelation) return SQLConf.get().getConfString(IN_PLACE, "false").equals("true");
    if (!(leaf instanceof LogicalRelation)) return false;
    Object relation = ((LogicalRelation) leaf).relation();
    return relation instanceof HadoopFsRelation && ((HadoopFsRelation) relation).bucketSpec().isDefined();
  }

  /** A name may be written otherwise than in the table. */
  private static boolean prunes(Filter filter) {
    if (!(filter.child() instanceof LogicalRelation)) return false;
    Object relation = ((LogicalRelation) filter.child()).relation();
    if (!(relation instanceof HadoopFsRelation)) return false;
    String[] partitions = ((HadoopFsRelation) relation).partitionSchema().fieldNames();
    List columns = Trees.list(((Expression) filter.condition()).references());
    for (int i = 0; i < columns.size(); i++) {
      String name = ((Attribute) columns.get(i)).name();
      for (int k = 0; k < partitions.length; k++) if (partitions[k].equalsIgnoreCase(name)) return true;
    }
    return false;
  }

  /** Whether the rows of a plan come out of a shuffle: its own, or one on every way that its rows take. */
  public boolean comesFromShuffle(LogicalPlan plan) {
    Boolean known = (Boolean) shuffled.get(plan);
    if (known == null) {
      known = Boolean.valueOf(findsShuffle(plan));
      shuffled.put(plan, known);
    }
    return known.booleanValue();
  }

  private boolean findsShuffle(LogicalPlan plan) {
    if (addsShuffle(plan)) return true;
    if (plan instanceof Join) {
      Join join = (Join) plan;
      if (shuffles(join)) return true;
      boolean left = mayBroadcast(join, true);
      // The rows of the other side pass by the table that is built.
      if (left != mayBroadcast(join, false)) return comesFromShuffle(left ? join.right() : join.left());
    }
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) if (!comesFromShuffle((LogicalPlan) children.get(i))) return false;
    return !children.isEmpty();
  }

  /** Whether a plan, or a part of it, is brought into one partition: what follows needs no shuffle. */
  public static boolean isInOnePartition(List operators) {
    for (int i = 0; i < operators.size(); i++) {
      if (operators.get(i) instanceof Repartition && ((Repartition) operators.get(i)).numPartitions() == 1) return true;
    }
    return false;
  }

  /** Whether an operator shuffles its rows, or groups them, which takes a shuffle wherever they are not grouped already. */
  public static boolean addsShuffle(LogicalPlan plan) {
    String name = plan.getClass().getSimpleName();
    if (plan instanceof Sort) return ((Sort) plan).global();
    if (plan instanceof Repartition) return ((Repartition) plan).shuffle();
    return name.equals("Aggregate") || name.equals("Window") || name.equals("Distinct")
        || name.equals("RepartitionByExpression") || name.equals("RebalancePartitions");
  }
}
