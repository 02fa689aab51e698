package tuner.steering.agent;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.planning.ExtractSingleColumnNullAwareAntiJoin$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.NO_BROADCAST_HASH$;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_HASH$;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_MERGE$;
import org.apache.spark.sql.internal.SQLConf;
import scala.None$;
import scala.Option;
import scala.Product;
import scala.Some;

/** Gives joins the hints that are directed; one that has a hint of the user's keeps it. */
public final class JoinHints implements Trees.Rewrite {
  private final List hints;
  private final Pass pass;
  private final Lineage lineage;
  private final RowOrder rowOrder;
  private final MadeOnce madeOnce;
  private final Shuffles shuffles = new Shuffles();
  // By the ids of hints, why no join of their signature may have them.
  private final Map refused = new HashMap();

  public JoinHints(List hints, Pass pass, Lineage lineage, RowOrder rowOrder, MadeOnce madeOnce) {
    this.rowOrder = rowOrder;
    this.madeOnce = madeOnce;
    this.hints = hints;
    this.pass = pass;
    this.lineage = lineage;
  }

  /**
   * Refuse hints that could change results or make a job fail at any join that they reach: what prunes partitions is a copy
   * of a join's side, and is used once for both only while both are the same.
   */
  public void refuse(List operators) {
    for (int i = 0; i < operators.size(); i++) {
      if (!(operators.get(i) instanceof Join)) continue;
      Join join = (Join) operators.get(i);
      JoinSite site = null;
      for (int k = 0; k < hints.size(); k++) {
        Directives.Hint hint = (Directives.Hint) hints.get(k);
        if (!isOnSide(join, hint)) continue;
        if (site == null) site = new JoinSite(join, lineage, pass.names);
        if (!hint.join.equals(site.signature)) continue;
        String reason = rowOrder.obstacle(join);
        if (reason == null) reason = risk(join);
        if (reason == null) reason = parted(join, hint.hint);
        if (reason != null) refused.put(hint.id, reason);
      }
    }
  }

  private boolean isOnSide(Join join, Directives.Hint hint) {
    return hint.side.isEmpty() || isSide(join.left(), hint) || isSide(join.right(), hint);
  }

  public LogicalPlan of(LogicalPlan plan) {
    LogicalPlan rewritten = Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
    // What is below has the same relations and columns, hinted or not.
    return plan instanceof Join ? hinted((Join) plan, (Join) rewritten) : rewritten;
  }

  private Join hinted(Join before, Join join) {
    JoinSite site = null;
    for (int i = 0; i < hints.size(); i++) {
      Directives.Hint hint = (Directives.Hint) hints.get(i);
      if (!isOnSide(before, hint)) continue;
      if (site == null) site = new JoinSite(before, lineage, pass.names);
      if (hint.join.equals(site.signature)) join = hinted(join, hint, site);
    }
    return join;
  }

  private boolean isSide(LogicalPlan plan, Directives.Hint hint) {
    return pass.names.relations(plan).equals(hint.side);
  }

  private Join hinted(Join join, Directives.Hint directed, JoinSite site) {
    boolean either = directed.side.isEmpty();
    boolean left = either || isSide(site.join.left(), directed);
    boolean right = either || isSide(site.join.right(), directed);
    String obstacle = obstacle(site, directed, left, right);
    if (obstacle == null) obstacle = (String) refused.get(directed.id);
    if (obstacle != null) {
      pass.tell(directed.id, Pass.IMPOSSIBLE, obstacle);
      return join;
    }
    if (!pass.isMeasured(directed.literals, directed.neutral)) {
      pass.hold(directed.id, Held.otherValues());
      return join;
    }
    Held size = Sizes.obstacle(left ? site.join.left() : site.join.right(), mostBytes(directed));
    if (size != null) {
      pass.hold(directed.id, size);
      return join;
    }
    Held small = directed.shuffled ? smallSide(site.join, directed.hint, left) : null;
    if (small != null) {
      pass.hold(directed.id, small);
      return join;
    }
    left = left && canBuild(join.joinType(), directed.hint, true);
    right = right && canBuild(join.joinType(), directed.hint, false);
    Option info = (Option) new Some(new HintInfo((Option) new Some(strategy(directed.hint))));
    JoinHint hint = new JoinHint(left ? info : (Option) None$.MODULE$, right ? info : (Option) None$.MODULE$);
    if (!JoinBlock.isFree(join)) {
      boolean same = join.hint().equals(hint);
      pass.tell(directed.id, same ? Pass.APPLIED : Pass.IGNORED, same ? "" : "the join has a hint already: " + join.hint());
      return join;
    }
    LogicalPlan built = left ? site.join.left() : site.join.right();
    boolean unseen = builds(directed.hint) && mayHaveOtherValues(built, directed);
    if (directed.hint.equals("BROADCAST") && (unseen || isToBeCounted(built))) return measuredFirst(join, directed, left);
    boolean moves = unseen || isToBeCounted(built) || Sizes.drops(built);
    // Of a relation as it is no more rows are hashed than its files hold, but one task may get them all.
    boolean isCounted = moves || MeasuredFirst.obstacle() == null;
    if (directed.hint.equals("SHUFFLE_HASH") && isCounted) return hashedByTasks(join, directed, left, built);
    pass.tell(directed.id, Pass.APPLIED, "");
    return with(hint, join.left(), join.right(), join);
  }

  private static Join with(JoinHint hint, LogicalPlan left, LogicalPlan right, Join join) {
    Join hinted = new Join(left, right, join.joinType(), join.condition(), hint);
    hinted.copyTagsFrom(join);
    return hinted;
  }

  /** A hash table cannot spill: a relation's rows are counted by the shuffle that is there; what joins put out may have none. */
  private Join hashedByTasks(Join join, Directives.Hint directed, boolean left, LogicalPlan built) {
    String obstacle = MeasuredFirst.isNeeded(built) ? "it is what other joins put out" : MeasuredFirst.obstacle();
    if (obstacle != null) {
      pass.hold(directed.id, new Held(Held.UNMEASURED_RESULT, "what tasks would hash cannot be counted first: " + obstacle));
      return join;
    }
    pass.tell(directed.id, Pass.APPLIED, "");
    MeasuredFirst.compare();
    return with(one(counting(directed), left), join.left(), join.right(), join);
  }

  private Option counting(Directives.Hint directed) {
    return (Option) new Some(new MeasuredFirst(strategy(directed.hint), directed, pass.queryOf(directed), pass));
  }

  /** A hint of one side. */
  private static JoinHint one(Option hint, boolean left) {
    Option none = (Option) None$.MODULE$;
    return new JoinHint(left ? hint : none, left ? none : hint);
  }

  /** The most bytes of a side's relations, in the heaps as they are. */
  private static long mostBytes(Directives.Hint directed) {
    long cap = builds(directed.hint) && directed.capBytes > 0 ? Heap.mostBytes(0) : Long.MAX_VALUE;
    if (directed.mostBytes <= 0 || cap >= directed.capBytes) return directed.mostBytes;
    return Math.max(1, (long) ((double) directed.mostBytes * cap / directed.capBytes));
  }

  /**
   * Why a hint for a join that was shuffled would cost in this run: Spark broadcasts a side by itself now, which the hint keeps it
   * from. Null where it broadcasts none, or the one that the hint would have it broadcast.
   */
  private static Held smallSide(Join join, String hint, boolean left) {
    Held hinted = smallSide(join, left);
    if (hint.equals("BROADCAST")) return hinted == null ? smallSide(join, !left) : null;
    return hinted == null ? smallSide(join, !left) : hinted;
  }

  private static Held smallSide(Join join, boolean left) {
    long most = SQLConf.get().autoBroadcastJoinThreshold();
    BigInteger size = (left ? join.left() : join.right()).stats().sizeInBytes().bigInteger();
    boolean small = canBuild(join.joinType(), "BROADCAST", left) && size.compareTo(BigInteger.valueOf(most)) <= 0;
    return small ? Held.smallSide(size, most) : null;
  }

  /** Whether the rows of a side may be too many to broadcast, though the planner takes it for as large as it was. */
  private static boolean isToBeCounted(LogicalPlan side) {
    long most = Heap.mostBytes(0);
    return MeasuredFirst.isNeeded(side) || Sizes.mayOutgrow(side, most) || Sizes.hasOutgrownStatistics(side, most);
  }

  /** Whether a filter of a side has values that the directive was told not to look at: they moved no rows so far. */
  private boolean mayHaveOtherValues(LogicalPlan side, Directives.Hint directed) {
    if (directed.neutral.isEmpty()) return false;
    List conditions = new Literals(Trees.everything(side), lineage).conditions();
    for (int i = 0; i < conditions.size(); i++) {
      if (directed.neutral.contains(((List) conditions.get(i)).get(0))) return true;
    }
    return false;
  }

  private Join measuredFirst(Join join, Directives.Hint directed, boolean left) {
    String obstacle = MeasuredFirst.obstacle(join, left);
    if (obstacle != null) {
      String why = "what it would broadcast cannot be counted first: " + obstacle;
      // A result of joins is to be counted in each run; a relation only where its filters or the heap are others.
      if (MeasuredFirst.isNeeded(left ? join.left() : join.right())) pass.tell(directed.id, Pass.IMPOSSIBLE, why);
      else pass.hold(directed.id, new Held(Held.UNMEASURED_RESULT, why));
      return join;
    }
    pass.tell(directed.id, Pass.APPLIED, "");
    LogicalPlan counted = MeasuredFirst.counted(join, left);
    return with(one(counting(directed), left), left ? counted : join.left(), left ? join.right() : counted, join);
  }

  private static String obstacle(JoinSite site, Directives.Hint directed, boolean left, boolean right) {
    String hint = directed.hint;
    if (strategy(hint) == null) return "the agent knows no hint " + hint;
    if (!left && !right) return "neither side of the join is " + directed.side;
    if (left && right && !directed.side.isEmpty() && builds(hint)) return "the sides of the join cannot be told apart";
    if (site.nullAware) return "Spark runs NOT IN with nulls in one way only";
    JoinType type = site.join.joinType();
    if (!(left && canBuild(type, hint, true)) && !(right && canBuild(type, hint, false))) {
      return "Spark cannot build that side of a join of type " + site.type;
    }
    // Without a hash table Spark runs it as a nested loop, keys or not.
    if (site.type.equals("LeftSingle") && !builds(hint)) return "Spark has no sort merge join for a scalar subquery";
    if (hint.equals("SHUFFLE_HASH") && isWrongSomewhere(site, left, right)) return "some Sparks lose rows of such a hash join";
    return hint.equals("BROADCAST") || !site.keys.isEmpty() ? null : "the join has no keys";
  }

  /**
   * Shuffled hash joins that earlier releases of Spark get wrong: IN and EXISTS with a condition besides the keys
   * (SPARK-52873), and outer joins that build the side whose rows all stay (SPARK-46037).
   */
  private static boolean isWrongSomewhere(JoinSite site, boolean left, boolean right) {
    if (site.join.joinType() instanceof LeftOuter$ && left) return true;
    if (site.join.joinType() instanceof RightOuter$ && right) return true;
    Option found = ExtractEquiJoinKeys$.MODULE$.unapply(site.join);
    boolean tests = site.type.equals("LeftSemi") || site.type.equals("LeftAnti") || site.type.startsWith("Existence");
    return tests && found.isDefined() && ((Option) ((Product) found.get()).productElement(3)).isDefined();
  }

  /**
   * What may fail in another kind of join: its condition (PairCondition); and what is computed of a side that Spark does
   * not shuffle, which may wait until the join has dropped rows, or asks for no more.
   */
  private String risk(Join join) {
    String found = PairCondition.obstacle(join);
    if (found == null) found = ofSide(join, join.left());
    if (found == null) found = ofSide(join, join.right());
    return found == null ? null : "another kind of join could ask what may fail of other rows: " + found;
  }

  /** Why a side must be made as it is; null where its rows are shuffled as they were, whatever joins them. */
  private String parted(Join join, String hint) {
    if (!hint.equals("BROADCAST") && shuffles.shuffles(join)) return null;
    String found = madeOnce.obstacle(join.left());
    return found != null ? found : madeOnce.obstacle(join.right());
  }

  /** What may fail of a side, all of whose rows are made where they are shuffled; those that come partitioned may not be. */
  private String ofSide(Join join, LogicalPlan side) {
    return shuffles.shuffles(join) && !MeasuredFirst.comesPartitioned(side) ? null : NeverFails.obstacle(side);
  }

  /** Whether a hint says which side becomes a hash table. */
  private static boolean builds(String hint) {
    return hint.equals("BROADCAST") || hint.equals("SHUFFLE_HASH");
  }

  /** Whether the planner takes a hint on a side; one on another side may make it fail (JoinSelection.checkHintBuildSide). */
  private static boolean canBuild(JoinType type, String hint, boolean left) {
    ExtractSingleColumnNullAwareAntiJoin$ selection = ExtractSingleColumnNullAwareAntiJoin$.MODULE$;
    if (hint.equals("BROADCAST")) {
      return left ? selection.canBuildBroadcastLeft(type) : selection.canBuildBroadcastRight(type);
    }
    if (hint.equals("SHUFFLE_HASH")) {
      return left ? selection.canBuildShuffledHashJoinLeft(type) : selection.canBuildShuffledHashJoinRight(type);
    }
    return true;
  }

  private static Object strategy(String hint) {
    if (hint.equals("BROADCAST")) return BROADCAST$.MODULE$;
    if (hint.equals("NO_BROADCAST")) return NO_BROADCAST_HASH$.MODULE$;
    if (hint.equals("SHUFFLE_HASH")) return SHUFFLE_HASH$.MODULE$;
    return hint.equals("MERGE") ? SHUFFLE_MERGE$.MODULE$ : null;
  }
}
