package tuner.steering.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import scala.None$;
import scala.Option;
import scala.Some;
import scala.runtime.AbstractFunction1;

/**
 * Plans that are alike but for columns that one of them does not need and for conditions on columns that come out on top: each
 * is made to give what all of them need. They are then equal but for the ids of their columns, and what is equal Spark runs once
 * (ReuseExchange). A row that only others need is left out again by a plan's own condition, above all.
 */
public final class MergedPlans {
  /** The plans, with columns that correspond place by place. */
  public final LogicalPlan[] plans;
  /** What each has to be filtered by above, of its columns; null for nothing. */
  public final Expression[] own;

  private MergedPlans(LogicalPlan[] plans, Expression[] own) {
    this.plans = plans;
    this.own = own;
  }

  /** Plans that cannot be made equal, with why. */
  public static final class Unlike extends RuntimeException {
    public Unlike(String reason) {
      super(reason);
    }
  }

  /** Throws Unlike where plans differ in more than columns and conditions. */
  public static MergedPlans of(LogicalPlan[] given) {
    if (areEqual(given)) return new MergedPlans(given, new Expression[given.length]);
    // One that leaves no column out, or no row, has no operator for it.
    if (isAny(given, Project.class)) return projects(given);
    if (isAny(given, Filter.class)) return filters(given);
    for (int i = 1; i < given.length; i++) {
      if (given[i].getClass() != given[0].getClass()) throw new Unlike("one has a " + given[0].nodeName() + " where another has none");
    }
    if (given[0] instanceof Aggregate) return aggregates(given);
    if (given[0] instanceof Join) return joins(given);
    if (given[0] instanceof Union) return unions(given);
    throw new Unlike("they differ in a " + given[0].nodeName());
  }

  /** Whether plans are equal but for the ids of their columns. */
  public static boolean areEqual(LogicalPlan[] given) {
    for (int i = 1; i < given.length; i++) if (!given[i].sameResult(given[0])) return false;
    return true;
  }

  private static boolean isAny(LogicalPlan[] given, Class of) {
    for (int i = 0; i < given.length; i++) if (of.isInstance(given[i])) return true;
    return false;
  }

  /** What is below those that are of a class; the others as they are. */
  private static MergedPlans below(LogicalPlan[] given, Class of) {
    LogicalPlan[] found = new LogicalPlan[given.length];
    for (int i = 0; i < given.length; i++) {
      found[i] = of.isInstance(given[i]) ? (LogicalPlan) Trees.children(given[i]).get(0) : given[i];
    }
    return of(found);
  }

  private static MergedPlans children(LogicalPlan[] given, int child) {
    LogicalPlan[] found = new LogicalPlan[given.length];
    for (int i = 0; i < given.length; i++) found[i] = (LogicalPlan) Trees.children(given[i]).get(child);
    return of(found);
  }

  private static MergedPlans filters(LogicalPlan[] given) {
    MergedPlans below = below(given, Filter.class);
    List[] columns = below.outputs();
    List common = new ArrayList();
    List[] rest = new List[given.length];
    for (int i = 0; i < given.length; i++) {
      rest[i] = given[i] instanceof Filter ? Trees.conjuncts(((Filter) given[i]).condition()) : new ArrayList();
    }
    Moved[] toFirst = new Moved[given.length];
    for (int i = 0; i < given.length; i++) toFirst[i] = new Moved(columns[i], columns[0]);
    List conjuncts = new ArrayList(rest[0]);
    for (int k = 0; k < conjuncts.size(); k++) {
      Expression one = (Expression) conjuncts.get(k);
      int[] at = new int[given.length];
      boolean everywhere = true;
      for (int i = 0; i < given.length; i++) {
        at[i] = indexOf(rest[i], one, toFirst[i]);
        everywhere = everywhere && at[i] >= 0;
      }
      for (int i = 0; everywhere && i < given.length; i++) rest[i].remove(at[i]);
      if (everywhere) common.add(one);
    }
    Expression[] own = new Expression[given.length];
    boolean all = true;
    for (int i = 0; i < given.length; i++) {
      own[i] = and(rest[i]);
      all = all && own[i] != null;
      if (own[i] == null) continue;
      if (Trees.hasSubquery(own[i])) throw new Unlike("a condition of one of them has a subquery");
      for (int k = 0; k < rest[i].size(); k++) {
        if (Trees.references((Expression) rest[i].get(k)).isEmpty()) throw new Unlike("a condition of one of them is on no column");
      }
    }
    LogicalPlan[] made = new LogicalPlan[given.length];
    Expression[] above = new Expression[given.length];
    for (int i = 0; i < given.length; i++) {
      List conditions = new ArrayList();
      Moved ofFirst = new Moved(columns[0], columns[i]);
      for (int k = 0; k < common.size(); k++) conditions.add(ofFirst.of((Expression) common.get(k)));
      Expression either = null;
      for (int j = 0; all && j < given.length; j++) {
        Expression one = moved(own[j], columns[j], columns[i]);
        either = either == null ? one : new Or(either, one);
      }
      if (either != null) conditions.add(either);
      Expression condition = and(conditions);
      made[i] = condition == null ? below.plans[i] : new Filter(condition, below.plans[i]);
      above[i] = both(below.own[i], and(withoutImplied(rest[i])));
    }
    return new MergedPlans(made, above);
  }

  /** Conditions without those that leave out nulls where another one does: of a null `year(d) = 2025` is not true. */
  private static List withoutImplied(List conditions) {
    List found = new ArrayList();
    for (int i = 0; i < conditions.size(); i++) {
      boolean isImplied = false;
      for (int k = 0; k < conditions.size(); k++) {
        isImplied = isImplied || implies((Expression) conditions.get(k), (Expression) conditions.get(i));
      }
      if (!isImplied) found.add(conditions.get(i));
    }
    return found;
  }

  private static boolean implies(Expression condition, Expression other) {
    boolean isKnown = other instanceof IsNotNull && !(condition instanceof IsNotNull) && condition.deterministic();
    if (!isKnown || !(((IsNotNull) other).child() instanceof Attribute)) return false;
    Attribute column = (Attribute) ((IsNotNull) other).child();
    List columns = Trees.list(condition.references());
    if (columns.size() != 1 || !((Attribute) columns.get(0)).exprId().equals(column.exprId())) return false;
    List nulls = new ArrayList();
    nulls.add(new Literal(null, column.dataType()));
    return !Boolean.TRUE.equals(moved(condition, columns, nulls).eval(null));
  }

  private static MergedPlans projects(LogicalPlan[] given) {
    MergedPlans below = below(given, Project.class);
    List[] named = new List[given.length];
    Expression[] own = new Expression[given.length];
    for (int i = 0; i < given.length; i++) {
      named[i] = Trees.list(given[i] instanceof Project ? ((Project) given[i]).projectList() : given[i].output());
      own[i] = new Computed(named[i], named[i]).of(below.own[i]);
    }
    below = new MergedPlans(below.plans, own);
    List[] columns = below.columns(named);
    LogicalPlan[] made = new LogicalPlan[given.length];
    for (int i = 0; i < given.length; i++) made[i] = new Project(Trees.seq(columns[i]), below.plans[i]);
    return new MergedPlans(made, below.own);
  }

  private static MergedPlans aggregates(LogicalPlan[] given) {
    MergedPlans below = children(given, 0);
    List[] outputs = below.outputs();
    List[] named = new List[given.length];
    List[] keys = new List[given.length];
    for (int i = 0; i < given.length; i++) {
      named[i] = Trees.list(((Aggregate) given[i]).aggregateExpressions());
      keys[i] = Trees.list(((Aggregate) given[i]).groupingExpressions());
      if (keys[i].size() != keys[0].size()) throw new Unlike("they are grouped by other columns");
      for (int k = 0; k < keys[i].size(); k++) {
        if (!isSame((Expression) keys[i].get(k), outputs[i], (Expression) keys[0].get(k), outputs[0])) {
          throw new Unlike("they are grouped by other columns");
        }
      }
    }
    boolean isOne = keys[0].isEmpty();
    Expression[] own = new Expression[given.length];
    for (int i = 0; i < given.length; i++) {
      if (below.own[i] == null) continue;
      if (isOne) {
        // One group, which is there without rows, too: each function takes those that meet its plan's condition.
        for (int k = 0; k < named[i].size(); k++) named[i].set(k, where((Expression) named[i].get(k), below.own[i]));
        continue;
      }
      List exact = exact(keys[i]);
      own[i] = new Computed(namedBelow(given[i]), exact).of(below.own[i]);
      // A group then meets a condition with all of its rows, or with none.
      boolean kept = Trees.ids(exact).containsAll(Trees.references(own[i]));
      if (!kept) throw new Unlike("a condition is on what they are not grouped by, or not exactly");
    }
    below = new MergedPlans(below.plans, own);
    List[] columns = below.columns(named);
    LogicalPlan[] made = new LogicalPlan[given.length];
    for (int i = 0; i < given.length; i++) {
      List groups = new ArrayList();
      for (int k = 0; k < keys[i].size(); k++) groups.add(bound((Expression) keys[i].get(k), outputs[i]));
      made[i] = (LogicalPlan) Trees.made(Aggregate.class, new Object[] {Trees.seq(groups), Trees.seq(columns[i]), below.plans[i]});
    }
    return new MergedPlans(made, below.own);
  }

  /** The columns of the projection that a plan reads; none where it reads another operator. */
  private static List namedBelow(LogicalPlan plan) {
    LogicalPlan child = (LogicalPlan) Trees.children(plan).get(0);
    return child instanceof Project ? Trees.list(((Project) child).projectList()) : new ArrayList();
  }

  private static MergedPlans joins(LogicalPlan[] given) {
    MergedPlans left = children(given, 0);
    MergedPlans right = children(given, 1);
    Join first = (Join) given[0];
    String type = JoinSite.typeOf(first);
    List[] columns = left.outputs();
    List[] ofRight = right.outputs();
    for (int i = 0; i < given.length; i++) columns[i].addAll(ofRight[i]);
    LogicalPlan[] made = new LogicalPlan[given.length];
    Expression[] own = new Expression[given.length];
    for (int i = 0; i < given.length; i++) {
      Join join = (Join) given[i];
      if (!join.joinType().equals(first.joinType()) || !join.hint().equals(first.hint())) throw new Unlike("they join in other ways");
      if (join.condition().isDefined() != first.condition().isDefined()) throw new Unlike("they join by other conditions");
      if (join.condition().isDefined()
          && !isSame((Expression) join.condition().get(), columns[i], (Expression) first.condition().get(), columns[0])) {
        throw new Unlike("they join by other conditions");
      }
      boolean kept = (left.own[i] == null || KeyPath.FROM_LEFT.contains(type)) && (right.own[i] == null || KeyPath.FROM_RIGHT.contains(type));
      if (!kept) throw new Unlike("a condition is on rows that a join adds or leaves out by it");
      Option condition = join.condition();
      if (condition.isDefined()) condition = (Option) new Some(bound((Expression) condition.get(), columns[i]));
      made[i] = new Join(left.plans[i], right.plans[i], join.joinType(), condition, join.hint());
      made[i].copyTagsFrom(join);
      own[i] = both(left.own[i], right.own[i]);
    }
    return new MergedPlans(made, own);
  }

  private static MergedPlans unions(LogicalPlan[] given) {
    int inputs = Trees.children(given[0]).size();
    for (int i = 1; i < given.length; i++) {
      if (Trees.children(given[i]).size() != inputs) throw new Unlike("they are unions of more parts and of fewer");
    }
    MergedPlans[] parts = new MergedPlans[inputs];
    for (int c = 0; c < inputs; c++) parts[c] = children(given, c);
    LogicalPlan[] made = new LogicalPlan[given.length];
    for (int i = 0; i < given.length; i++) {
      List children = new ArrayList();
      List first = Trees.list(parts[0].plans[i].output());
      for (int c = 0; c < inputs; c++) {
        List columns = Trees.list(parts[c].plans[i].output());
        List before = Trees.list(((LogicalPlan) Trees.children(given[i]).get(c)).output());
        List ofFirst = Trees.list(((LogicalPlan) Trees.children(given[i]).get(0)).output());
        boolean alike = columns.size() == first.size();
        for (int k = 0; alike && k < before.size(); k++) {
          alike = place(columns, (Attribute) before.get(k)) == place(first, (Attribute) ofFirst.get(k));
        }
        Expression of = parts[c].own[i];
        Expression ofParts = parts[0].own[i];
        if (!alike || (of == null) != (ofParts == null) || of != null && !isSame(of, columns, ofParts, first)) {
          throw new Unlike("the parts of a union differ in other ways");
        }
        children.add(parts[c].plans[i]);
      }
      made[i] = (LogicalPlan) given[i].withNewChildren(Trees.seq(children));
    }
    return new MergedPlans(made, parts[0].own);
  }

  private List[] outputs() {
    List[] found = new List[plans.length];
    for (int i = 0; i < plans.length; i++) {
      found[i] = Trees.list(plans[i].output());
      if (Trees.ids(found[i]).size() < found[i].size()) throw new Unlike("one puts out a column twice");
    }
    return found;
  }

  /** A column that all plans put out: what is computed, of the first plan's columns; by plan, under which name. */
  private static final class Column {
    final Expression computed;
    final boolean renames;
    final Object[] named;

    Column(Expression computed, boolean renames, int plans) {
      this.computed = computed;
      this.renames = renames;
      this.named = new Object[plans];
    }
  }

  /** For each plan what any of them puts out of these plans' columns, and what their own conditions ask for. */
  private List[] columns(List[] named) {
    List[] outputs = outputs();
    List found = new ArrayList();
    for (int i = 0; i < plans.length; i++) {
      Moved toFirst = new Moved(outputs[i], outputs[0]);
      for (int k = 0; k < named[i].size(); k++) {
        boolean renames = named[i].get(k) instanceof Alias;
        Expression computed = renames ? ((Alias) named[i].get(k)).child() : (Expression) named[i].get(k);
        column(found, toFirst.of(computed), renames, i).named[i] = named[i].get(k);
      }
    }
    Set asked = new TreeSet();
    for (int i = 0; i < plans.length; i++) {
      List of = own[i] == null ? new ArrayList() : Trees.list(own[i].references());
      Set given = Trees.ids(outputs[i]);
      for (int k = 0; k < of.size(); k++) {
        Attribute column = (Attribute) of.get(k);
        // Others are computed here.
        if (given.contains(Long.valueOf(column.exprId().id()))) asked.add(Integer.valueOf(place(outputs[i], column)));
      }
    }
    for (Object at : asked) column(found, (Expression) outputs[0].get(((Integer) at).intValue()), false, -1);
    List[] columns = new List[plans.length];
    for (int i = 0; i < plans.length; i++) {
      columns[i] = new ArrayList();
      Moved ofFirst = new Moved(outputs[0], outputs[i]);
      Moved bound = new Moved(outputs[i], outputs[i]);
      for (int k = 0; k < found.size(); k++) {
        Column column = (Column) found.get(k);
        Expression computed = ofFirst.of(column.computed);
        Expression known = (Expression) column.named[i];
        if (known == null && !mayBeAdded(computed)) throw new Unlike("one computes what another cannot");
        columns[i].add(known != null ? bound.of(known) : column.renames ? alias(computed) : computed);
      }
    }
    return columns;
  }

  /** The column that computes this and that a plan (below 0: any) has no name for yet; a new one where there is none. */
  private Column column(List among, Expression computed, boolean renames, int plan) {
    for (int k = 0; k < among.size(); k++) {
      Column one = (Column) among.get(k);
      boolean free = plan < 0 || one.named[plan] == null;
      if (free && one.renames == renames && one.computed.canonicalized().equals(computed.canonicalized())) return one;
    }
    Column made = new Column(computed, renames, plans.length);
    among.add(made);
    return made;
  }

  /** Not what Spark has rewritten long ago where it was (several DISTINCT), nor what runs by itself. */
  private static boolean mayBeAdded(Expression computed) {
    if (Trees.hasSubquery(computed)) return false;
    if (computed instanceof AggregateExpression && ((AggregateExpression) computed).isDistinct()) return false;
    List children = Trees.list(computed.children());
    for (int i = 0; i < children.size(); i++) if (!mayBeAdded((Expression) children.get(i))) return false;
    return true;
  }

  /** The results of functions are told apart by their ids, which copies of a plan share. */
  private static final class OfItsOwn extends AbstractFunction1 {
    public Object apply(Object given) {
      if (!(given instanceof AggregateExpression)) return ((Expression) given).mapChildren(this);
      AggregateExpression of = (AggregateExpression) given;
      return new AggregateExpression(
          of.aggregateFunction(), of.mode(), of.isDistinct(), of.filter(), NamedExpression$.MODULE$.newExprId());
    }
  }

  /** An expression whose functions take only the rows that meet a condition. */
  private static Expression where(Expression expression, Expression condition) {
    return (Expression) new Where(condition).apply(expression);
  }

  private static final class Where extends AbstractFunction1 {
    private final Expression condition;

    Where(Expression condition) {
      this.condition = condition;
    }

    public Object apply(Object given) {
      if (!(given instanceof AggregateExpression)) return ((Expression) given).mapChildren(this);
      AggregateExpression of = (AggregateExpression) given;
      if (!mayBeOfSome(of)) throw new Unlike("a function of one of them takes no condition");
      Expression own = of.filter().isDefined() ? (Expression) of.filter().get() : null;
      return new AggregateExpression(
          of.aggregateFunction(), of.mode(), of.isDistinct(), (Option) new Some(both(own, condition)), of.resultId());
    }
  }

  /** A function of rows in whatever order: sums of floating point are others in each, and an average of whole numbers is one. */
  private static boolean mayBeOfSome(AggregateExpression function) {
    if (function.isDistinct()) return false;
    Expression of = (Expression) function.aggregateFunction();
    boolean adds = of instanceof Sum || of instanceof Average;
    if (!adds) return of instanceof Count || of instanceof Min || of instanceof Max;
    DataType type = ((Expression) Trees.list(of.children()).get(0)).dataType();
    return of instanceof Average ? type instanceof DecimalType : KeyPath.isExact(type);
  }

  private static NamedExpression alias(Expression computed) {
    List none = new ArrayList();
    Expression own = (Expression) new OfItsOwn().apply(computed);
    return new Alias(
        own, "shared", NamedExpression$.MODULE$.newExprId(), Trees.seq(none), (Option) None$.MODULE$, Trees.seq(none));
  }

  /** Columns whose values, where they are equal, are the same to every condition: -0.0 equals 0.0, and reads otherwise. */
  private static List exact(List expressions) {
    List found = new ArrayList();
    for (int i = 0; i < expressions.size(); i++) {
      Expression one = (Expression) expressions.get(i);
      if (one instanceof Attribute && KeyPath.isExact(one.dataType())) found.add(one);
    }
    return found;
  }

  private static int place(List columns, Attribute column) {
    for (int i = 0; i < columns.size(); i++) if (((Attribute) columns.get(i)).exprId().equals(column.exprId())) return i;
    throw new Unlike("one reads a column of the query around it");
  }

  private static boolean isSame(Expression one, List columns, Expression other, List otherColumns) {
    return moved(one, columns, otherColumns).canonicalized().equals(other.canonicalized());
  }

  private static int indexOf(List conditions, Expression one, Moved moved) {
    for (int i = 0; i < conditions.size(); i++) {
      if (moved.of((Expression) conditions.get(i)).canonicalized().equals(one.canonicalized())) return i;
    }
    return -1;
  }

  /**
   * An expression of these columns, with what is known of them now: one that a condition kept from being null may be null where
   * that condition is only of some.
   */
  static Expression bound(Expression expression, List columns) {
    return moved(expression, columns, columns);
  }

  /** An expression of the columns in the same places. */
  private static Expression moved(Expression expression, List from, List to) {
    return new Moved(from, to).of(expression);
  }

  private static final class Moved extends AbstractFunction1 {
    private final Map columns = new HashMap();

    Moved(List from, List to) {
      for (int i = 0; i < from.size(); i++) columns.put(((Attribute) from.get(i)).exprId(), to.get(i));
    }

    Expression of(Expression expression) {
      return (Expression) apply(expression);
    }

    public Object apply(Object given) {
      if (!(given instanceof Attribute)) return ((Expression) given).mapChildren(this);
      Object column = columns.get(((Attribute) given).exprId());
      if (column == null) throw new Unlike("one reads a column of the query around it");
      return column;
    }
  }

  private static Expression and(List conditions) {
    Expression all = null;
    for (int i = 0; i < conditions.size(); i++) all = both(all, (Expression) conditions.get(i));
    return all;
  }

  private static Expression both(Expression one, Expression other) {
    return one == null ? other : other == null ? one : new And(one, other);
  }
}
