package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_HASH$;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.Product;
import scala.Some;

/**
 * A hash table of what no file tells the size of: the result of joins below, or what a filter keeps. Rows to broadcast are shuffled
 * by the join's keys first, which counts them, as a sort merge join would have it (once more where the join below has shuffled them
 * so); those that each task hashes are shuffled anyway. BroadcastRule takes the hint away where they are too many.
 */
public final class MeasuredFirst extends HintInfo {
  private static final String COST_EVALUATOR = "spark.sql.adaptive.customCostEvaluatorClass";
  private static final String OURS = "tuner.steering.agent.BroadcastCost";
  public static final String LACKS = "the class loader of a thread of the session lacks the agent";
  // The confs of sessions of which a thread that lacks the agent has planned a query.
  private static final Set LACKING = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap()));

  /** The directive and its query. */
  public final String id;
  public final String fingerprint;
  /** The query's values, as Pass has them. */
  public final String literals;
  public final List conditions;
  /** What BroadcastRule lets it have of its query's budget while the query runs. */
  public final Budget budget;
  public final Budget.Grant grant;

  public MeasuredFirst(Object strategy, Directives.Hint directed, String fingerprint, Pass pass) {
    super((Option) new Some(strategy));
    this.id = directed.id;
    this.fingerprint = fingerprint;
    this.literals = pass.literals;
    this.conditions = pass.conditions;
    this.budget = pass.budget;
    this.grant = pass.budget.grant(directed.mostCounted);
  }

  /** Whether tasks hash their own part of the rows: it takes nothing of the budget. */
  public boolean isOfTasks() {
    return strategy().get() instanceof SHUFFLE_HASH$;
  }

  /** The hint of a join that one of its sides has; null where neither has such a one. */
  public static MeasuredFirst of(Join join) {
    MeasuredFirst left = of(join.hint().leftHint());
    return left == null ? of(join.hint().rightHint()) : left;
  }

  /** The side of such a join that is to be counted. */
  public static LogicalPlan side(Join join) {
    return of(join.hint().leftHint()) == null ? join.right() : join.left();
  }

  private static MeasuredFirst of(Option hint) {
    return hint.isDefined() && hint.get() instanceof MeasuredFirst ? (MeasuredFirst) hint.get() : null;
  }

  /** Whether the rows of a side hang on how its relations match. */
  public static boolean isNeeded(LogicalPlan side) {
    List operators = Trees.everything(side);
    for (int i = 0; i < operators.size(); i++) {
      String name = operators.get(i).getClass().getSimpleName();
      if (operators.get(i) instanceof Join || name.equals("Generate") || name.equals("Expand")) return true;
    }
    return false;
  }

  /** Why nothing can be counted first in this session; null where it can. */
  public static String obstacle() {
    SQLConf conf = SQLConf.get();
    if (!SparkCost.isKnown()) return "this Spark compares plans otherwise";
    if (!isLoadable() || LACKING.contains(conf)) return LACKS;
    if (!conf.adaptiveExecutionEnabled()) return "adaptive execution is off";
    String evaluator = conf.getConfString(COST_EVALUATOR, "");
    return evaluator.isEmpty() || evaluator.equals(OURS) ? null : "the job has a cost evaluator of its own";
  }

  /** Why a side of a join cannot be measured before it is broadcast; null where it can. */
  public static String obstacle(Join join, boolean left) {
    String obstacle = obstacle();
    if (obstacle != null) return obstacle;
    List keys = keys(join, left);
    if (keys.isEmpty()) return "the join has no keys";
    if (isShuffled(left ? join.left() : join.right())) return "its rows come out of a shuffle already";
    if (left ? prunes(join.left(), join.right()) : prunes(join.right(), join.left())) return "it prunes partitions of the other side";
    return null;
  }

  /**
   * Leave plans of this session to Spark's own evaluator from now on where this thread would not find ours: Spark loads it by name,
   * for each adaptive plan, by the class loader of the thread that plans it (Utils.getContextOrSparkClassLoader). The agent of
   * spark.jars is in none but those that threads have from the driver's main thread.
   */
  public static void leaveWhereUnloadable() {
    if (isLoadable()) return;
    SQLConf conf = SQLConf.get();
    // Another thread may be about to set it.
    synchronized (LACKING) {
      LACKING.add(conf);
      if (OURS.equals(conf.getConfString(COST_EVALUATOR, ""))) conf.unsetConf(COST_EVALUATOR);
    }
  }

  private static boolean isLoadable() {
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      Class.forName(OURS, false, loader == null ? SQLConf.class.getClassLoader() : loader);
      return true;
    } catch (ClassNotFoundException error) {
      return false;
    }
  }

  /** Whether this session's plans are compared by what was counted. */
  public static boolean isCompared() {
    return OURS.equals(SQLConf.get().getConfString(COST_EVALUATOR, ""));
  }

  /** Have this session's plans compared by what was counted, too. */
  public static void compare() {
    SQLConf conf = SQLConf.get();
    synchronized (LACKING) {
      if (!LACKING.contains(conf)) conf.setConfString(COST_EVALUATOR, OURS);
    }
  }

  /** The side, to be shuffled by the keys of the join. */
  public static LogicalPlan counted(Join join, boolean left) {
    compare();
    LogicalPlan side = left ? join.left() : join.right();
    List keys = keys(join, left);
    return Shuffled.forJoin(comesPartitioned(side) ? Shuffled.anew(keys, side) : Shuffled.by(keys, side));
  }

  private static List keys(Join join, boolean left) {
    Option found = ExtractEquiJoinKeys$.MODULE$.unapply(join);
    if (found.isEmpty()) return new ArrayList();
    return Trees.list(((Product) found.get()).productElement(left ? 1 : 2));
  }

  /**
   * Whether a shuffle of a side may be left out, for its rows may come partitioned so (EnsureRequirements): by a shuffle or a join
   * below, however far, for what stands above keeps how they lie (PartitioningPreservingUnaryExecNode, HashJoin).
   */
  public static boolean comesPartitioned(LogicalPlan side) {
    List operators = Trees.everything(side);
    for (int i = 0; i < operators.size(); i++) {
      if (operators.get(i) instanceof Join || Shuffles.addsShuffle((LogicalPlan) operators.get(i))) return true;
    }
    return false;
  }

  /** Whether a side is a shuffle that somebody asked for, which another one above it would take the place of (CollapseRepartition). */
  private static boolean isShuffled(LogicalPlan side) {
    String name = Trees.belowProjections(side).getClass().getSimpleName();
    return name.startsWith("Repartition") || name.startsWith("Rebalance");
  }

  /**
   * Whether what a side has, or a part of it, prunes partitions of another side: by a copy of it (PartitionPruning), which puts out
   * the same columns.
   */
  public static boolean prunes(LogicalPlan side, LogicalPlan other) {
    Set made = null;
    List operators = Trees.everything(other);
    for (int i = 0; i < operators.size(); i++) {
      List subqueries = Trees.planExpressions((LogicalPlan) operators.get(i));
      for (int k = 0; k < subqueries.size(); k++) {
        PlanExpression subquery = (PlanExpression) subqueries.get(k);
        if (!subquery.getClass().getSimpleName().startsWith("DynamicPruning")) continue;
        if (!(subquery.plan() instanceof LogicalPlan)) return true;
        if (made == null) made = columns(side);
        if (!Collections.disjoint(made, Trees.output((LogicalPlan) subquery.plan()))) return true;
      }
    }
    return false;
  }

  /** The ids of the columns of a plan and of all that is below it. */
  private static Set columns(LogicalPlan plan) {
    Set found = Trees.output(plan);
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) found.addAll(columns((LogicalPlan) children.get(i)));
    return found;
  }
}
