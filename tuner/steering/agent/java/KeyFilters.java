package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.expressions.XxHash64;
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate;
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.internal.SQLConf;
import scala.None$;
import scala.Option;

/**
 * Filters one side of a join by the keys of the other, where its rows are read: what is dropped there is neither shuffled nor
 * grouped. It is Spark's bloom filter (InjectRuntimeFilter, SPARK-32268), at the join and of the relations that are directed.
 */
public final class KeyFilters implements Trees.Rewrite {
  public static final String HINT = "FILTER_BY_KEY";
  private static final String ENABLED = "spark.sql.optimizer.runtime.bloomFilter.enabled";
  // One key in a hundred that is not there passes (Bloom 1970).
  private static final long BITS_OF_A_KEY = 10L;

  private final List hints;
  private final Pass pass;
  private final Lineage lineage;
  private final RowOrder rowOrder;
  private final MadeOnce madeOnce;
  // Of joins that have changed below: what they were, as the order of rows knows them.
  private final IdentityHashMap before = new IdentityHashMap();

  public KeyFilters(List hints, Pass pass, Lineage lineage, RowOrder rowOrder, MadeOnce madeOnce) {
    this.hints = hints;
    this.pass = pass;
    this.lineage = lineage;
    this.rowOrder = rowOrder;
    this.madeOnce = madeOnce;
  }

  public LogicalPlan of(LogicalPlan plan) {
    LogicalPlan rewritten = Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
    if (!(plan instanceof Join)) return rewritten;
    JoinSite site = null;
    for (int i = 0; i < hints.size(); i++) {
      Directives.Hint hint = (Directives.Hint) hints.get(i);
      if (site == null) site = new JoinSite((Join) plan, lineage, pass.names);
      if (hint.join.equals(site.signature)) rewritten = filtered((Join) rewritten, hint, site);
    }
    if (rewritten != plan) before.put(rewritten, plan);
    return rewritten;
  }

  /** A join with the filter of a hint, or as it is. */
  private LogicalPlan filtered(Join join, Directives.Hint hint, JoinSite site) {
    String obstacle = obstacle(site);
    String type = JoinSite.typeOf(site.join);
    KeySource ofRight = obstacle == null && mayDrop(type, true) ? source(site, hint, false) : null;
    KeySource ofLeft = obstacle == null && mayDrop(type, false) ? source(site, hint, true) : null;
    // Of inputs alike, those of an existence test are told by their sides: what is tested is filtered.
    if (ofRight != null && ofLeft != null && type.equals("LeftSemi")) ofLeft = null;
    if (obstacle == null && ofRight == null && ofLeft == null) obstacle = "the keys of the join are not columns of these relations";
    if (obstacle == null && ofRight != null && ofLeft != null) obstacle = "the sides of the join cannot be told apart";
    boolean left = ofRight != null;
    KeySource source = left ? ofRight : ofLeft;
    LogicalPlan side = left ? join.left() : join.right();
    List keys = left ? site.leftKeys : site.rightKeys;
    if (obstacle == null) obstacle = risk(join, side, keys, source, hint);
    if (obstacle == null) obstacle = parted(left ? site.join.left() : site.join.right(), keys, hint);
    if (obstacle == null && MeasuredFirst.prunes(side, left ? join.right() : join.left())) obstacle = "it prunes partitions of the other side";
    if (obstacle != null) {
      pass.tell(hint.id, Pass.IMPOSSIBLE, obstacle);
      return join;
    }
    SQLConf conf = SQLConf.get();
    if (conf.contains(ENABLED) && conf.getConfString(ENABLED, "true").equals("false")) {
      pass.tell(hint.id, Pass.IGNORED, "the job switched Spark's bloom filters off");
      return join;
    }
    if (!pass.isMeasured(hint.literals, hint.neutral)) {
      pass.hold(hint.id, Held.otherValues());
      return join;
    }
    Held size = Sizes.obstacle(source.plan, hint.mostBytes);
    if (size != null) {
      pass.hold(hint.id, size);
      return join;
    }
    LogicalPlan after = applied(side, keys, source.subquery(hint.rows), hint);
    pass.tell(hint.id, Pass.APPLIED, after == side ? "it was so already" : "");
    if (after == side) return join;
    Join filtered = new Join(left ? after : join.left(), left ? join.right() : after, join.joinType(), join.condition(), join.hint());
    filtered.copyTagsFrom(join);
    return filtered;
  }

  private String obstacle(JoinSite site) {
    if (site.nullAware) return "NOT IN looks at nulls, which have no key";
    if (site.leftKeys.isEmpty()) return "the join has no keys";
    for (int i = 0; i < site.leftKeys.size(); i++) {
      String found = KeyPath.obstacle((Expression) site.leftKeys.get(i), (Expression) site.rightKeys.get(i));
      if (found != null) return found;
    }
    return rowOrder.obstacle(site.join);
  }

  /**
   * What may be otherwise: the source, which is read for the filter and again for the join; rows of the second reading that the
   * first had not would meet none. What may fail: what the join asks of pairs, where adaptive execution takes another kind of join
   * for what the filter made small; the source, all of whose rows are made, where another plan may have needed few;
   * and what a filter stands on that is no relation, whose columns are computed for it, where they may have waited until a join
   * had dropped rows.
   */
  private String risk(Join join, LogicalPlan side, List keys, KeySource source, Directives.Hint hint) {
    String other = Repeatable.obstacle(source.plan);
    if (other != null) return "its keys may be others when they are read again: " + other;
    String found = PairCondition.obstacle(join);
    if (found == null) found = NeverFails.obstacle(source.plan);
    if (found == null) found = riskBelow(side, keys, hint);
    return found == null ? null : "a filter could compute what may fail of other rows: " + found;
  }

  private String riskBelow(LogicalPlan plan, List keys, Directives.Hint hint) {
    if (isFilteredRelation(plan)) return null;
    List steps = steps(plan, keys, hint);
    if (steps.isEmpty()) return NeverFails.obstacle(plan);
    for (int i = 0; i < steps.size(); i++) {
      KeyPath path = (KeyPath) steps.get(i);
      String found = riskBelow(path.plan, path.keys, hint);
      if (found != null) return found;
    }
    return null;
  }

  /** Why what a filter would stand on, or above which it would stand, must be made as it is. */
  private String parted(LogicalPlan plan, List keys, Directives.Hint hint) {
    if (Repeatable.obstacleBesideFiles(plan) == null) return null;
    String found = madeOnce.obstacle(plan);
    List steps = found != null || isFilteredRelation(plan) ? new ArrayList() : steps(plan, keys, hint);
    for (int i = 0; found == null && i < steps.size(); i++) {
      KeyPath path = (KeyPath) steps.get(i);
      found = parted(path.plan, path.keys, hint);
    }
    return found;
  }

  /** Whether a join drops rows of a side that meet none of the other, or takes nothing of them. */
  private static boolean mayDrop(String type, boolean left) {
    if (type.equals("Inner") || type.equals("Cross") || type.equals("LeftSemi")) return true;
    if (type.equals("LeftOuter") || type.equals("LeftAnti") || type.startsWith("Existence")) return !left;
    return type.equals("RightOuter") && left;
  }

  /** Where the keys of a side come from that are of the hint's relations alone; null where none of its plans reads just these. */
  private KeySource source(JoinSite site, Directives.Hint hint, boolean left) {
    LogicalPlan plan = left ? site.join.left() : site.join.right();
    List keys = left ? site.leftKeys : site.rightKeys;
    while (plan != null) {
      if (pass.names.relations(plan).equals(hint.side)) return new KeySource(plan, keys);
      KeyPath path = KeyPath.below(plan, keys);
      plan = path == null ? null : path.plan;
      keys = path == null ? null : path.keys;
    }
    return null;
  }

  /** A plan whose rows are filtered as far below as their keys are there; the plan itself where they are filtered already. */
  private LogicalPlan applied(LogicalPlan plan, List keys, ScalarSubquery filter, Directives.Hint hint) {
    if (plan instanceof Filter && tests(((Filter) plan).condition(), keys, hint.side)) return plan;
    Expression mayMeet = new BloomFilterMightContain(filter, new XxHash64(Trees.seq(keys)));
    // After what is asked of each row anyway.
    if (isFilteredRelation(plan)) {
      return new Filter(new And(((Filter) plan).condition(), mayMeet), ((Filter) plan).child());
    }
    List steps = steps(plan, keys, hint);
    if (steps.isEmpty()) return new Filter(mayMeet, plan);
    List children = Trees.children(plan);
    boolean changed = false;
    for (int i = 0; i < steps.size(); i++) {
      KeyPath path = (KeyPath) steps.get(i);
      LogicalPlan below = applied(path.plan, path.keys, filter, hint);
      changed = changed || below != path.plan;
      children.set(path.child, below);
    }
    return changed ? (LogicalPlan) plan.withNewChildren(Trees.seq(children)) : plan;
  }

  /**
   * The steps below a plan: of a join to the input that is to be filtered, by keys equal to these where it has not these. None to
   * one that prunes partitions of the other input, by a copy without the filter, nor of a join whose rows are to come as they do:
   * adaptive execution joins in another way what the filter makes small.
   */
  private List steps(LogicalPlan plan, List keys, Directives.Hint hint) {
    List found = KeyPath.steps(plan, keys);
    if (found.isEmpty() || !(plan instanceof Join)) return found;
    List none = new ArrayList();
    if (rowOrder.obstacle((Join) (before.containsKey(plan) ? before.get(plan) : plan)) != null) return none;
    List inputs = Trees.children(plan);
    KeyPath only = (KeyPath) found.get(0);
    if (!reads(only.plan, hint.filtered) && reads((LogicalPlan) inputs.get(1 - only.child), hint.filtered)) {
      only = KeyPath.across((Join) plan, keys);
    }
    if (only == null || MeasuredFirst.prunes(only.plan, (LogicalPlan) inputs.get(1 - only.child))) return none;
    return Collections.singletonList(only);
  }

  private boolean reads(LogicalPlan plan, List relations) {
    return !Collections.disjoint(pass.names.relations(plan), relations);
  }

  private static boolean isFilteredRelation(LogicalPlan plan) {
    return plan instanceof Filter && Trees.children(((Filter) plan).child()).isEmpty();
  }

  /** Whether a condition asks a bloom filter of these relations for these keys: Spark's own, or one of an earlier turn. */
  private boolean tests(Expression condition, List keys, List of) {
    if (condition instanceof And) return tests(((And) condition).left(), keys, of) || tests(((And) condition).right(), keys, of);
    if (!(condition instanceof BloomFilterMightContain)) return false;
    Expression made = ((BloomFilterMightContain) condition).bloomFilterExpression();
    boolean same = made instanceof ScalarSubquery && pass.names.relations(((ScalarSubquery) made).plan()).equals(of);
    return same && ((BloomFilterMightContain) condition).valueExpression().semanticEquals(new XxHash64(Trees.seq(keys)));
  }

  /** A plan and the keys that it puts out. */
  private static final class KeySource {
    final LogicalPlan plan;
    final List keys;

    KeySource(LogicalPlan plan, List keys) {
      this.plan = plan;
      this.keys = keys;
    }

    /** A bloom filter of the keys, made for so many (0: as Spark is set). */
    ScalarSubquery subquery(long rows) {
      Expression hash = new XxHash64(Trees.seq(keys));
      BloomFilterAggregate made = rows <= 0 ? new BloomFilterAggregate(hash) : new BloomFilterAggregate(
          hash, Literal$.MODULE$.apply(Long.valueOf(rows)), Literal$.MODULE$.apply(Long.valueOf(rows * BITS_OF_A_KEY)));
      List none = new ArrayList();
      Alias alias = new Alias(made.toAggregateExpression(), "bloomFilter", NamedExpression$.MODULE$.newExprId(),
          Trees.seq(none), (Option) None$.MODULE$, Trees.seq(none));
      List columns = new ArrayList();
      Set seen = new HashSet();
      for (int i = 0; i < keys.size(); i++) {
        List of = Trees.list(((Expression) keys.get(i)).references());
        for (int k = 0; k < of.size(); k++) if (seen.add(((Attribute) of.get(k)).exprId())) columns.add(of.get(k));
      }
      LogicalPlan read = new Project(Trees.seq(columns), plan);
      // What is shuffled is read twice where both plans shuffle the same columns (ReuseExchange), else shuffled twice.
      if (isRelation(plan)) read = (LogicalPlan) ColumnPruning$.MODULE$.apply(read);
      List results = new ArrayList();
      results.add(alias);
      Object aggregate = Trees.made(Aggregate.class, new Object[] {Trees.seq(none), Trees.seq(results), read});
      return (ScalarSubquery) Trees.made(ScalarSubquery.class, new Object[] {aggregate});
    }
  }

  private static boolean isRelation(LogicalPlan plan) {
    return Trees.children(Trees.belowProjections(plan)).isEmpty();
  }
}
