package tuner.steering.agent;

import java.math.BigInteger;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.catalog.BucketSpec;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.Product;

/** Where Spark by itself shuffles: what comes out of a shuffle comes in no promised order. In doubt it does not. */
public final class Shuffles {
  // Spark's default (SQLConf.AUTO_BROADCASTJOIN_THRESHOLD): a run may have a smaller one that is the tuner's.
  private static final long DEFAULT_THRESHOLD = 10L << 20;
  private static final String IN_PLACE = "spark.sql.sources.v2.bucketing.enabled";
  // Of rows that lie together by what no operator above could ask for.
  private static final Long UNNAMED = Long.valueOf(-1);

  // What was found of plans: questions about joins above ask it again.
  private final IdentityHashMap shrinking = new IdentityHashMap();
  private final IdentityHashMap shuffled = new IdentityHashMap();
  private final IdentityHashMap sorted = new IdentityHashMap();
  private final IdentityHashMap single = new IdentityHashMap();

  /** Whether Spark shuffles both sides of a join that nobody hints (JoinSelection): none it may build is small. */
  public boolean shuffles(Join join) {
    if (ExtractEquiJoinKeys$.MODULE$.unapply(join).isEmpty() || !JoinBlock.isFree(join)) return false;
    return !mayBroadcast(join, true) && !mayBroadcast(join, false);
  }

  /** The ids of the columns in a side's keys: by which a join that shuffles it does so. */
  public static Set keyColumns(Join join, boolean left) {
    Set found = new HashSet();
    Option keyed = ExtractEquiJoinKeys$.MODULE$.unapply(join);
    if (keyed.isEmpty()) return found;
    List keys = Trees.list(((Product) keyed.get()).productElement(left ? 1 : 2));
    for (int i = 0; i < keys.size(); i++) found.addAll(Trees.references((Expression) keys.get(i)));
    return found;
  }

  private boolean mayBroadcast(Join join, boolean left) {
    ExtractSingleColumnNullAwareAntiJoin$ selection = ExtractSingleColumnNullAwareAntiJoin$.MODULE$;
    boolean builds = left ? selection.canBuildBroadcastLeft(join.joinType()) : selection.canBuildBroadcastRight(join.joinType());
    return builds && mayBeSmall(left ? join.left() : join.right());
  }

  /** Whether Spark may take a side for small enough to broadcast it, now or when it has planned what is read of it. */
  private boolean mayBeSmall(LogicalPlan side) {
    long most = Math.max(SQLConf.get().autoBroadcastJoinThreshold(), DEFAULT_THRESHOLD);
    // Tables of the second API plan all of their files to tell a size before filters are pushed to them.
    return mayShrink(side) || side.stats().sizeInBytes().bigInteger().compareTo(BigInteger.valueOf(most)) <= 0;
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
    if (leaf instanceof HiveTableRelation) return HivePartitions.isToBePruned((HiveTableRelation) leaf);
    // Tables that are partitioned alike are joined as they lie: from Spark 4.1 on by default (SPARK-51064).
    if (leaf instanceof DataSourceV2ScanRelation) {
      boolean isGrouped = ((DataSourceV2ScanRelation) leaf).keyGroupedPartitioning().isDefined();
      return isGrouped && SQLConf.get().getConfString(IN_PLACE).equals("true");
    }
    return bucketsOf(leaf) != null;
  }

  private static BucketSpec bucketsOf(LogicalPlan leaf) {
    Object relation = leaf instanceof LogicalRelation ? ((LogicalRelation) leaf).relation() : null;
    if (!(relation instanceof HadoopFsRelation) || ((HadoopFsRelation) relation).bucketSpec().isEmpty()) return null;
    return (BucketSpec) ((HadoopFsRelation) relation).bucketSpec().get();
  }

  /** Of partitions that are listed already none will go. A name may be written otherwise than in the table. */
  private static boolean prunes(Filter filter) {
    if (!(filter.child() instanceof LogicalRelation)) return false;
    Object relation = ((LogicalRelation) filter.child()).relation();
    if (!(relation instanceof HadoopFsRelation)) return false;
    if (ListedFiles.areKnown(((HadoopFsRelation) relation).location())) return false;
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

  /**
   * Whether each relation of a plan is one file, or else, that one task reads: what it alone has shuffled comes in its order. A
   * larger file is cut, and so may this one be, but Parquet and ORC have most files of this size in one piece. A side that Spark may
   * broadcast is collected in the order of its tasks, however many these are.
   */
  public boolean readsOneTaskEach(LogicalPlan plan) {
    Boolean known = (Boolean) single.get(plan);
    if (known == null) {
      known = Boolean.valueOf(findsOneTaskEach(plan));
      single.put(plan, known);
    }
    return known.booleanValue();
  }

  private boolean findsOneTaskEach(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return isOneTask(plan);
    if (plan instanceof Join) return findsOneTaskEach((Join) plan);
    for (int i = 0; i < children.size(); i++) if (!readsOneTaskEach((LogicalPlan) children.get(i))) return false;
    return true;
  }

  private boolean findsOneTaskEach(Join join) {
    boolean left = readsOneTaskEach(join.left());
    boolean right = readsOneTaskEach(join.right());
    return left && right || left && mayBroadcast(join, false) || right && mayBroadcast(join, true);
  }

  private static boolean isOneTask(LogicalPlan leaf) {
    if (leaf instanceof DataSourceV2ScanRelation) return isOneTask(((DataSourceV2ScanRelation) leaf).scan());
    Object relation = leaf instanceof LogicalRelation ? ((LogicalRelation) leaf).relation() : null;
    if (!(relation instanceof HadoopFsRelation)) return false;
    FileIndex files = ((HadoopFsRelation) relation).location();
    // Others would have to list theirs.
    if (!(files instanceof PartitioningAwareFileIndex)) return false;
    return files.sizeInBytes() <= SQLConf.get().filesMaxPartitionBytes() && files.inputFiles().length == 1;
  }

  /** Of the second API files, and what reports how many tasks read it; of others, as a database, it is not known. */
  private static boolean isOneTask(Scan scan) {
    if (scan instanceof FileScan) return isOneFile(((FileScan) scan).planInputPartitions());
    boolean reports = scan instanceof SupportsReportPartitioning;
    return reports && ((SupportsReportPartitioning) scan).outputPartitioning().numPartitions() <= 1;
  }

  private static boolean isOneFile(InputPartition[] tasks) {
    int files = 0;
    long bytes = 0;
    for (int i = 0; i < tasks.length; i++) {
      PartitionedFile[] pieces = ((FilePartition) tasks[i]).files();
      for (int k = 0; k < pieces.length; k++) {
        if (pieces[k].start() == 0) files++;
        bytes += pieces[k].length();
      }
    }
    return tasks.length <= 1 || files <= 1 && bytes <= SQLConf.get().filesMaxPartitionBytes();
  }

  /**
   * The ids of the columns by which rows lie together that come in an order of their own: of a window, a sort merge join, a bucket's
   * files, or ORDER BY with LIMIT below, where no shuffle above has taken it from them. None where all lie in one partition; null
   * for rows in no such order. In doubt there are too few columns.
   */
  public Set sortedBy(LogicalPlan plan) {
    if (!sorted.containsKey(plan)) {
      Set found = findsOrder(plan);
      if (found != null && !found.contains(UNNAMED)) found.retainAll(Trees.output(plan));
      sorted.put(plan, found);
    }
    Set found = (Set) sorted.get(plan);
    return found == null ? null : new HashSet(found);
  }

  private Set findsOrder(LogicalPlan plan) {
    List children = Trees.children(plan);
    if (children.isEmpty()) return bucketColumns(plan);
    if (plan instanceof Join) return orderOf((Join) plan);
    if (children.size() > 1) return anyOrder(children) == null ? null : new HashSet(Collections.singleton(UNNAMED));
    Set below = sortedBy((LogicalPlan) children.get(0));
    String name = plan.getClass().getSimpleName();
    if (name.equals("GlobalLimit") || name.equals("Offset") || name.equals("Tail")) return below == null ? null : new HashSet();
    if (plan instanceof Sort && ((Sort) plan).global()) return columns(((Sort) plan).order());
    if (plan instanceof Window && !Trees.list(((Window) plan).orderSpec()).isEmpty()) return columns(((Window) plan).partitionSpec());
    if (!addsShuffle(plan)) return below;
    Set together = together(plan);
    return below != null && together != null && together.containsAll(below) ? below : null;
  }

  private Set orderOf(Join join) {
    if (shuffles(join)) return new HashSet(Collections.singleton(UNNAMED));
    boolean left = mayBroadcast(join, true);
    // The rows of the other side pass by the table that is built.
    if (left != mayBroadcast(join, false)) return sortedBy(left ? join.right() : join.left());
    return anyOrder(Trees.children(join));
  }

  private Set anyOrder(List plans) {
    Set found = null;
    for (int i = 0; found == null && i < plans.size(); i++) found = sortedBy((LogicalPlan) plans.get(i));
    return found;
  }

  /** The ids of the columns by which an aggregate or a window needs its rows together; null for other operators. */
  public static Set together(LogicalPlan plan) {
    if (plan instanceof Aggregate) return columns(((Aggregate) plan).groupingExpressions());
    return plan instanceof Window ? columns(((Window) plan).partitionSpec()) : null;
  }

  /** The ids of the columns among expressions and sort orders. */
  public static Set columns(Object expressions) {
    Set found = new HashSet();
    List all = Trees.list(expressions);
    for (int i = 0; i < all.size(); i++) {
      Object one = all.get(i) instanceof SortOrder ? ((SortOrder) all.get(i)).child() : all.get(i);
      if (one instanceof Attribute) found.add(Long.valueOf(((Attribute) one).exprId().id()));
    }
    return found;
  }

  private static Set bucketColumns(LogicalPlan leaf) {
    BucketSpec buckets = bucketsOf(leaf);
    if (buckets == null) return null;
    Set found = new HashSet();
    List names = Trees.list(buckets.bucketColumnNames());
    List columns = Trees.list(leaf.output());
    for (int i = 0; i < columns.size(); i++) {
      Attribute column = (Attribute) columns.get(i);
      boolean named = false;
      for (int k = 0; k < names.size(); k++) named = named || column.name().equalsIgnoreCase((String) names.get(k));
      if (named) found.add(Long.valueOf(column.exprId().id()));
    }
    return found;
  }

  /** Whether an operator brings its rows into one partition: what follows needs no shuffle. */
  public static boolean bringsIntoOne(LogicalPlan plan) {
    return plan instanceof RepartitionOperation && ((RepartitionOperation) plan).numPartitions() == 1;
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
