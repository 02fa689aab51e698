package tuner.steering.agent;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;
import scala.Option;
import scala.runtime.AbstractFunction1;

/**
 * Which joins must give their rows in the order in which they do. Some operators make of the same rows in another order
 * another result: LIMIT without an order, `first`, collect_list, row_number over ties. Where tasks fetch the rows below such an
 * operator from several others, its result differs between plain runs, too; where not, it is the same in each, and stays so.
 */
public final class RowOrder {
  /** What is left as it is below such operators: STABLE, the default, joins whose rows come in one order; LEAVE all; ALLOW none. */
  public static final String STABLE = "stable";
  public static final String LEAVE = "leave";
  public static final String ALLOW = "allow";

  // What is the same of the same rows in any order; PIVOT has grouped by the column that it turns (ResolvePivot), so each of its
  // values comes once to a group.
  private static final Set ANY_ORDER = names(
      "Count Min Max BloomFilterAggregate BitAndAgg BitOrAgg BitXorAgg HyperLogLogPlusPlus Percentile Rank DenseRank PercentRank CumeDist"
      + " PivotFirst");
  // Sums of whole numbers and decimals are exact. Of floating point the last digits differ, as they do between plain runs:
  // what tasks add up meets in a shuffle, in the order in which it is fetched.
  private static final Set UP_TO_ROUNDING = names(
      "Sum Average StddevSamp StddevPop VarianceSamp VariancePop Corr CovSample CovPopulation Skewness Kurtosis"
      + " RegrSlope RegrIntercept RegrR2 RegrSXX RegrSXY RegrSYY RegrReplacement");
  // What passes rows on, or makes a result of them that their order does not change.
  private static final Set INDIFFERENT = names(
      "Project Filter Join Sort Union Distinct Generate Expand Repartition RepartitionByExpression RebalancePartitions"
      + " SubqueryAlias WithCTE CTERelationDef WindowGroupLimit ReturnAnswer Subquery WriteFiles AppendData"
      + " OverwriteByExpression OverwritePartitionsDynamic MergeRows ReplaceData WriteDelta");
  // What numbers the rows of a task, or hands them to code that may, as they lie: those that a sort merge join puts out are sorted,
  // all of a key in one task. What takes each row by itself, as `map` of a Dataset does, is none of these.
  private static final Set AS_THEY_LIE = names(
      "AttachDistributedSequence ScriptTransformation BatchEvalPythonUDTF ArrowEvalPythonUDTF MapInPandas MapInArrow"
      + " PythonMapInArrow MapPartitions MapPartitionsInR MapPartitionsInRWithArrow MapPartitionsExternalUDF");
  // What makes rows of each row by itself; other generators are code of the job's own, which may count what it is given.
  private static final Set BY_ROW = names("Explode PosExplode Inline Stack JsonTuple ReplicateRows SQLKeywords VariantExplode");
  private static final Set EXACT_TYPES = names("byte short integer long");
  private static final Set LIMITS = names("GlobalLimit LocalLimit Offset Tail");

  private static final String UNORDERED = "LIMIT without ORDER BY";
  private static final String TIES = "LIMIT after ORDER BY with ties";
  private static final String LOOSE = "a group of texts that are equal in several spellings";
  private static final String FIRST_MATCH = "a condition of IN or EXISTS that may fail";

  // Whether every join is left that has such an operator above it.
  private final boolean leaves;
  // Whether one machine has all that is shuffled: it is read in the order of the tasks that wrote it.
  private final boolean isLocal = isLocal();
  private final Shuffles shuffles = new Shuffles();
  // Of joins whose rows an operator above takes in their order: what that is.
  private final IdentityHashMap kept = new IdentityHashMap();
  // Of plans: whether something in them is brought into one partition.
  private final IdentityHashMap inOnePartition = new IdentityHashMap();

  public RowOrder(LogicalPlan plan, String policy) {
    leaves = policy.equals(LEAVE);
    if (!policy.equals(ALLOW)) walk(plan, null, false);
  }

  private RowOrder() {
    leaves = true;
  }

  /** The first of these operators whose result may hang on the order of its rows, to the last digit; null where none's does. */
  public static String sensitiveIn(List operators) {
    RowOrder order = new RowOrder();
    for (int i = 0; i < operators.size(); i++) {
      String found = order.sensitive((LogicalPlan) operators.get(i), true);
      if (found != null) return found;
    }
    return null;
  }

  private static boolean isLocal() {
    Option context = SparkContext$.MODULE$.getActive();
    return context.isDefined() && ((SparkContext) context.get()).isLocal();
  }

  private static Set names(String text) {
    return new HashSet(Arrays.asList(text.split(" ")));
  }

  /** Why the rows of a join must come as they do; null where they need not. */
  public String obstacle(Join join) {
    Object operator = kept.get(join);
    return operator == null ? null : operator + " above it takes rows in the order in which they come";
  }

  /** An operator that takes rows in their order. */
  private static final class Taker {
    final String what;
    /** The columns by which it needs them together, which may take a shuffle; null where it takes them as they lie. */
    final Set together;
    /** Whether they come to it by groups, which takes a shuffle where they do not lie together by these columns. */
    final boolean isGrouped;
    /** Whether that holds through shuffles, too. */
    final boolean strict;

    Taker(String what, Set together, boolean isGrouped, boolean strict) {
      this.what = what;
      this.together = together;
      this.isGrouped = isGrouped;
      this.strict = strict;
    }

    /** The same above columns that are renamed. */
    Taker aboveRenamed(List made) {
      return together == null ? this : new Taker(what, renamed(together, made), isGrouped, strict);
    }

    /** The same above groups, or rows in a window. */
    Taker aboveGroups(Set groups) {
      if (together != null) groups.retainAll(together);
      return new Taker(what, groups, true, strict);
    }
  }

  /** `above` is the operator above that takes rows in their order; `limited`: of a sort here only the first rows are taken. */
  private void walk(LogicalPlan plan, Taker above, boolean limited) {
    Taker before = above;
    // Below a LIMIT without an order nothing is moved: rows that a sort merge join puts out are sorted, whatever was shuffled.
    boolean isUnordered = before != null && before.what.equals(UNORDERED);
    // Of groups that tie those are taken that are found first, which hangs on the order in which tasks end.
    boolean all = isUnordered || before != null && (before.strict || isLocal && !before.what.equals(TIES));
    if (plan instanceof Join && before != null && (all || comesInOrder(plan, before))) kept.put(plan, before.what);
    boolean strict = isStrict(plan);
    String own = sensitive(plan, strict);
    if (own != null && !isUnordered && !passesAsTheyLie(plan, above)) above = new Taker(own, together(plan), false, strict);
    // The first rows of a sort are taken from each partition, without a shuffle (TakeOrderedAndProject).
    if (own == null && above != null && !all && Shuffles.addsShuffle(plan) && !(limited && plan instanceof Sort)) {
      Set groups = Shuffles.together(plan);
      // One row has no order.
      boolean isOne = plan instanceof Aggregate && groups.isEmpty();
      above = groups == null || isOne ? null : above.aboveGroups(groups);
    }
    if (above != null && plan instanceof Project) above = above.aboveRenamed(Trees.list(((Project) plan).projectList()));
    boolean limits = LIMITS.contains(nameOf(plan)) || limited && plan instanceof Project;
    LogicalPlan values = PivotValues.belowLimit(plan);
    List children = values == null ? Trees.children(plan) : Collections.singletonList(values);
    boolean isTakenApart = own == null && above != null && !all && above.together == null && isShuffled(plan);
    for (int i = 0; i < children.size(); i++) {
      LogicalPlan child = (LogicalPlan) children.get(i);
      walk(child, isTakenApart ? belowShuffle((Join) plan, child, above) : above, limits);
    }
    List subqueries = Trees.planExpressions(plan);
    for (int i = 0; i < subqueries.size(); i++) walkSubquery((PlanExpression) subqueries.get(i));
  }

  private boolean isShuffled(LogicalPlan plan) {
    return plan instanceof Join && shuffles.shuffles((Join) plan) && !mayStayWhereWritten();
  }

  /**
   * Whether adaptive execution may broadcast a side that turns out to be small, and read what was written of the other where it lies
   * (OptimizeShuffleWithLocalRead): a task gets what one task wrote.
   */
  private static boolean mayStayWhereWritten() {
    SQLConf conf = SQLConf.get();
    String most = conf.getConfString("spark.sql.adaptive.autoBroadcastJoinThreshold", "");
    boolean broadcasts = most.isEmpty() ? conf.autoBroadcastJoinThreshold() >= 0 : !most.trim().startsWith("-");
    return broadcasts && isOn(conf, "spark.sql.adaptive.enabled") && isOn(conf, "spark.sql.adaptive.localShuffleReader.enabled");
  }

  private static boolean isOn(SQLConf conf, String name) {
    return conf.getConfString(name, "true").equals("true");
  }

  /**
   * What takes rows as they lie sees those of a side in groups of the join's keys: its shuffle takes them apart however they lay.
   * Rows that a join below shuffled by a column of these keys may stay where they are, and those of one task come in its order.
   */
  private Taker belowShuffle(Join join, LogicalPlan side, Taker above) {
    Set keys = Shuffles.keyColumns(join, side == join.left());
    boolean mayStay = shuffles.readsOneTaskEach(side) || isJoinedBy(new HashSet(keys), side);
    return mayStay ? above : above.aboveGroups(keys);
  }

  /** Whether a join in a plan has one of these columns, however it is called there, among its keys. */
  private static boolean isJoinedBy(Set columns, LogicalPlan plan) {
    if (plan instanceof Project) columns = renamed(columns, Trees.list(((Project) plan).projectList()));
    if (plan instanceof Join) {
      Set keys = Shuffles.keyColumns((Join) plan, true);
      keys.addAll(Shuffles.keyColumns((Join) plan, false));
      if (!Collections.disjoint(keys, columns)) return true;
    }
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) if (isJoinedBy(columns, (LogicalPlan) children.get(i))) return true;
    return false;
  }

  /** Columns, and those that they are other names of. */
  private static Set renamed(Set columns, List made) {
    Set found = new HashSet(columns);
    for (int i = 0; i < made.size(); i++) {
      if (!(made.get(i) instanceof Alias)) continue;
      Alias alias = (Alias) made.get(i);
      boolean renames = alias.child() instanceof Attribute && columns.contains(Long.valueOf(alias.exprId().id()));
      if (renames) found.add(Long.valueOf(((Attribute) alias.child()).exprId().id()));
    }
    return found;
  }

  /** Whether an operator takes the rows of a plan in an order that is the same in each run. */
  private boolean comesInOrder(LogicalPlan plan, Taker taker) {
    boolean isFetched = !isLocal && shuffles.comesFromShuffle(plan) && !shuffles.readsOneTaskEach(plan);
    if (!taker.isGrouped && !isFetched) return true;
    Set by = shuffles.sortedBy(plan);
    return by != null && (taker.together == null || taker.together.containsAll(by));
  }

  /** Whether an operator leaves its rows where they are, below one that takes them as they lie: that asks for more. */
  private static boolean passesAsTheyLie(LogicalPlan plan, Taker above) {
    return above != null && above.together == null && !Shuffles.addsShuffle(plan) && !LIMITS.contains(nameOf(plan));
  }

  private static Set together(LogicalPlan plan) {
    if (plan instanceof Generate || AS_THEY_LIE.contains(nameOf(plan))) return null;
    Set found = Shuffles.together(plan);
    return found != null ? found : new HashSet();
  }

  /** IN and EXISTS end at the first match: which pairs their conditions are asked of depends on the order of rows. */
  private void walkSubquery(PlanExpression subquery) {
    if (!(subquery.plan() instanceof LogicalPlan)) return;
    LogicalPlan plan = (LogicalPlan) subquery.plan();
    Taker test = NeverFails.obstacle(subquery) == null ? null : new Taker(FIRST_MATCH, new HashSet(), false, isStrict(plan));
    walk(plan, test, false);
  }

  /** Whether an operator here takes rows in their order to the last digit: what is in one partition below it needs no shuffle. */
  private boolean isStrict(LogicalPlan plan) {
    return leaves || isInOnePartition(plan);
  }

  private boolean isInOnePartition(LogicalPlan plan) {
    Boolean known = (Boolean) inOnePartition.get(plan);
    if (known != null) return known.booleanValue();
    boolean found = Shuffles.bringsIntoOne(plan);
    List children = Trees.children(plan);
    for (int i = 0; !found && i < children.size(); i++) found = isInOnePartition((LogicalPlan) children.get(i));
    List subqueries = Trees.subqueries(plan);
    for (int i = 0; !found && i < subqueries.size(); i++) found = isInOnePartition((LogicalPlan) subqueries.get(i));
    inOnePartition.put(plan, Boolean.valueOf(found));
    return found;
  }

  /** What of an operator depends on the order of its rows; null for nothing. */
  private String sensitive(LogicalPlan plan, boolean strict) {
    String name = nameOf(plan);
    if (LIMITS.contains(name)) return ofLimit(plan);
    if (plan instanceof Aggregate) {
      List groups = Trees.list(((Aggregate) plan).groupingExpressions());
      for (int i = 0; i < groups.size(); i++) if (isLoose((Expression) groups.get(i))) return LOOSE;
      return ofAll(((Aggregate) plan).aggregateExpressions(), strict);
    }
    if (plan instanceof Window) return ofWindow((Window) plan, strict);
    if (plan instanceof Join && endsAtFirstMatch((Join) plan)) return FIRST_MATCH;
    if (plan instanceof Generate) return ofGenerator((Expression) (Object) ((Generate) plan).generator());
    boolean indifferent = INDIFFERENT.contains(name) || PythonFunctions.areByRow(plan);
    return indifferent || plan instanceof Command || Trees.children(plan).isEmpty() ? null : name;
  }

  private static String ofGenerator(Expression generator) {
    return BY_ROW.contains(generator.getClass().getSimpleName()) ? null : generator.prettyName();
  }

  private static boolean endsAtFirstMatch(Join join) {
    String type = JoinSite.typeOf(join);
    boolean tests = type.equals("LeftSemi") || type.equals("LeftAnti") || type.startsWith("Existence");
    return tests && join.condition().isDefined() && NeverFails.obstacle((Expression) join.condition().get()) != null;
  }

  private static String ofLimit(LogicalPlan limit) {
    LogicalPlan below = (LogicalPlan) Trees.children(limit).get(0);
    while (below instanceof Project || LIMITS.contains(nameOf(below))) below = (LogicalPlan) Trees.children(below).get(0);
    if (below.maxRows().isDefined() && ((Long) below.maxRows().get()).longValue() <= 1) return null;
    if (!(below instanceof Sort && ((Sort) below).global())) return UNORDERED;
    Set order = Shuffles.columns(((Sort) below).order());
    boolean unique = isAllOf(order, Trees.list(limit.output())) || isKey(order, ((Sort) below).child());
    return unique ? null : TIES;
  }

  /** Whether rows that tie in these columns are the same in all others, too, and in how each value is written. */
  private static boolean isAllOf(Set columns, List output) {
    if (!columns.containsAll(Trees.ids(output))) return false;
    for (int i = 0; i < output.size(); i++) if (!KeyPath.isExact(((Attribute) output.get(i)).dataType())) return false;
    return true;
  }

  private String ofWindow(Window window, boolean strict) {
    Set columns = Shuffles.columns(window.orderSpec());
    columns.addAll(Shuffles.columns(window.partitionSpec()));
    return isKey(columns, window.child()) ? null : ofAll(window.windowExpressions(), strict);
  }

  /** Whether no two rows of a plan have the same values in these columns (DistinctKeyVisitor, SPARK-36194). */
  private static boolean isKey(Set columns, LogicalPlan plan) {
    List keys = Trees.list(plan.distinctKeys());
    for (int i = 0; i < keys.size(); i++) {
      List key = Trees.list(keys.get(i));
      boolean covered = true;
      for (int k = 0; covered && k < key.size(); k++) {
        covered = key.get(k) instanceof Attribute && columns.contains(Long.valueOf(((Attribute) key.get(k)).exprId().id()));
      }
      if (covered) return true;
    }
    return false;
  }

  private String ofAll(Object expressions, boolean strict) {
    List all = Trees.list(expressions);
    for (int i = 0; i < all.size(); i++) {
      String found = of((Expression) all.get(i), strict);
      if (found != null) return found;
    }
    return null;
  }

  /** The first function of an expression whose result depends on the order of its rows. */
  private String of(Expression expression, boolean strict) {
    String name = expression.getClass().getSimpleName();
    List children = Trees.list(expression.children());
    if (expression instanceof WindowExpression) return ofFrame((WindowExpression) expression, strict);
    // Of pandas: Spark 3.3 and 3.4 have them bare.
    if (name.startsWith("PythonUD") && !PythonFunctions.isByRow(expression)) return expression.prettyName();
    if (expression instanceof AggregateExpression) {
      return ofFunction((Expression) ((AggregateExpression) expression).aggregateFunction(), strict);
    }
    boolean sorted = name.equals("Size") || name.equals("SortArray") && !isLoose((Expression) children.get(0));
    if (sorted && children.get(0) instanceof AggregateExpression && isCollected((AggregateExpression) children.get(0))) return null;
    for (int i = 0; i < children.size(); i++) {
      String found = of((Expression) children.get(i), strict);
      if (found != null) return found;
    }
    return null;
  }

  private static boolean isCollected(AggregateExpression aggregate) {
    String name = aggregate.aggregateFunction().getClass().getSimpleName();
    return name.equals("CollectList") || name.equals("CollectSet");
  }

  /** A frame that is cut between rows takes some of those that tie and leaves the others. */
  private String ofFrame(WindowExpression window, boolean strict) {
    Expression function = (Expression) window.windowFunction();
    if (function instanceof AggregateExpression) {
      Object frame = window.windowSpec().frameSpecification();
      boolean cut = frame instanceof SpecifiedWindowFrame
          && ((SpecifiedWindowFrame) frame).frameType().toString().startsWith("RowFrame")
          && !((SpecifiedWindowFrame) frame).isUnbounded();
      if (cut) return "a frame of rows over ties";
      function = (Expression) ((AggregateExpression) function).aggregateFunction();
    }
    return ofFunction(function, strict);
  }

  private String ofFunction(Expression function, boolean strict) {
    String name = function.getClass().getSimpleName();
    boolean takesOne = name.equals("Min") || name.equals("Max");
    if (takesOne && isLoose((Expression) Trees.list(function.children()).get(0))) return LOOSE;
    // Of 0.0 and -0.0 the first one met is shown.
    if (takesOne && strict && isFloat(inputOf(function))) return function.prettyName() + " of floating point";
    if (ANY_ORDER.contains(name)) return null;
    if (!UP_TO_ROUNDING.contains(name)) return function.prettyName();
    return !strict || isExact(function, name) ? null : function.prettyName() + " of floating point";
  }

  /** Whether texts that are equal may be spelled in several ways, of which the first one met is shown (collations, SPARK-46830). */
  private static boolean isLoose(Expression expression) {
    return expression.dataType().existsRecursively(new LooseText());
  }

  private static final class LooseText extends AbstractFunction1 {
    public Object apply(Object type) {
      return Boolean.valueOf(type instanceof StringType && !type.equals(DataTypes.StringType));
    }
  }

  private static boolean isFloat(DataType type) {
    return type.equals(DataTypes.DoubleType) || type.equals(DataTypes.FloatType);
  }

  private static DataType inputOf(Expression function) {
    return ((Expression) Trees.list(function.children()).get(0)).dataType();
  }

  /** Whether what a function adds up comes out the same to the last digit; an average of whole numbers adds doubles. */
  private static boolean isExact(Expression function, String name) {
    DataType type = inputOf(function);
    if (name.equals("Average")) return type instanceof DecimalType;
    return name.equals("Sum") && (type instanceof DecimalType || EXACT_TYPES.contains(type.typeName()));
  }

  private static String nameOf(LogicalPlan plan) {
    return plan.getClass().getSimpleName();
  }
}
