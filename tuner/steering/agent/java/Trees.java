package tuner.steering.agent;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Exists;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.trees.TreePattern$;
import scala.collection.immutable.Nil$;
import scala.runtime.AbstractFunction1;

/**
 * Catalyst's trees from Java. Only what Scala 2.12 and 2.13 have in common is called: immutable lists go in,
 * `scala.collection.Seq` comes out. Janino has neither lambdas nor type arguments, hence the casts.
 */
public final class Trees {
  private Trees() {}

  /** What becomes of a plan. */
  public interface Rewrite {
    LogicalPlan of(LogicalPlan plan);
  }

  /** The elements of a Scala collection, in order. */
  public static List list(Object collection) {
    List found = new ArrayList();
    scala.collection.Iterator each = ((scala.collection.Iterable) collection).iterator();
    while (each.hasNext()) found.add(each.next());
    return found;
  }

  /** A Scala list of these elements. */
  public static scala.collection.immutable.List seq(List elements) {
    scala.collection.immutable.List built = (scala.collection.immutable.List) Nil$.MODULE$;
    for (int i = elements.size() - 1; i >= 0; i--) {
      built = new scala.collection.immutable.$colon$colon(elements.get(i), built);
    }
    return built;
  }

  public static List children(LogicalPlan plan) {
    return list(plan.children());
  }

  /** What stands below projections and filters: the plan itself where there are none. */
  public static LogicalPlan belowProjections(LogicalPlan plan) {
    while (plan instanceof Project || plan instanceof Filter) plan = (LogicalPlan) children(plan).get(0);
    return plan;
  }

  /** Whether an operator, or one below it, has a subquery in its expressions. */
  public static boolean hasSubquery(LogicalPlan plan) {
    return plan.containsPattern(TreePattern$.MODULE$.PLAN_EXPRESSION());
  }

  /** The subquery expressions of an operator's own expressions, outermost first. */
  public static List planExpressions(LogicalPlan plan) {
    List found = new ArrayList();
    if (!hasSubquery(plan)) return found;
    List expressions = list(plan.expressions());
    for (int i = 0; i < expressions.size(); i++) addPlanExpressions((Expression) expressions.get(i), found);
    return found;
  }

  /** The plans that an operator's own IN and EXISTS look in. */
  public static List tested(LogicalPlan plan) {
    List expressions = planExpressions(plan);
    List plans = new ArrayList();
    for (int i = 0; i < expressions.size(); i++) {
      PlanExpression subquery = (PlanExpression) expressions.get(i);
      boolean tests = subquery instanceof Exists || subquery.getClass().getSimpleName().equals("ListQuery");
      if (tests) plans.add(subquery.plan());
    }
    return plans;
  }

  /** The plans of the subqueries in an operator's own expressions. */
  public static List subqueries(LogicalPlan plan) {
    List expressions = planExpressions(plan);
    List plans = new ArrayList();
    for (int i = 0; i < expressions.size(); i++) {
      Object inner = ((PlanExpression) expressions.get(i)).plan();
      if (inner instanceof LogicalPlan) plans.add(inner);
    }
    return plans;
  }

  /** The subquery expressions of an expression, outermost first. */
  private static void addPlanExpressions(Expression expression, List found) {
    if (!hasSubquery(expression)) return;
    if (expression instanceof PlanExpression) found.add(expression);
    List children = list(expression.children());
    for (int i = 0; i < children.size(); i++) addPlanExpressions((Expression) children.get(i), found);
  }

  public static boolean hasSubquery(Expression expression) {
    return expression.containsPattern(TreePattern$.MODULE$.PLAN_EXPRESSION());
  }

  /** Whether an expression names a column of the plan around its subquery. */
  public static boolean hasOuterReference(Expression expression) {
    return expression.containsPattern(TreePattern$.MODULE$.OUTER_REFERENCE());
  }

  /**
   * Whether an operator reads nothing: what Spark has made of a part that holds no rows, which the plan that runs will not have, or
   * the one row of no columns that its late rules put below subqueries.
   */
  public static boolean isNothing(LogicalPlan plan) {
    if (plan instanceof OneRowRelation) return true;
    return plan instanceof LocalRelation && list(((LocalRelation) plan).data()).isEmpty() && !plan.isStreaming();
  }

  /** The conditions that all have to hold for one to hold, in order. */
  public static List conjuncts(Expression condition) {
    List found = new ArrayList();
    addConjuncts(condition, found);
    return found;
  }

  private static void addConjuncts(Expression condition, List found) {
    if (condition instanceof And) {
      addConjuncts(((And) condition).left(), found);
      addConjuncts(((And) condition).right(), found);
    } else {
      found.add(condition);
    }
  }

  /** Every operator of a plan and of its subqueries, those above first. */
  public static List everything(LogicalPlan plan) {
    List found = new ArrayList();
    addEverything(plan, found);
    return found;
  }

  private static void addEverything(LogicalPlan plan, List found) {
    found.add(plan);
    List below = children(plan);
    for (int i = 0; i < below.size(); i++) addEverything((LogicalPlan) below.get(i), found);
    List subqueries = subqueries(plan);
    for (int i = 0; i < subqueries.size(); i++) addEverything((LogicalPlan) subqueries.get(i), found);
  }

  /** What a plan reads: its operators without inputs, not those of its subqueries. */
  public static List leaves(LogicalPlan plan) {
    List found = new ArrayList();
    addLeaves(plan, found);
    return found;
  }

  private static void addLeaves(LogicalPlan plan, List found) {
    List below = children(plan);
    if (below.isEmpty()) found.add(plan);
    for (int i = 0; i < below.size(); i++) addLeaves((LogicalPlan) below.get(i), found);
  }

  /** A plan whose inputs are rewritten; the plan itself where none changes. */
  public static LogicalPlan mapChildren(LogicalPlan plan, Rewrite rewrite) {
    List before = children(plan);
    List after = new ArrayList();
    boolean changed = false;
    for (int i = 0; i < before.size(); i++) {
      LogicalPlan next = rewrite.of((LogicalPlan) before.get(i));
      changed = changed || next != before.get(i);
      after.add(next);
    }
    return changed ? (LogicalPlan) plan.withNewChildren(seq(after)) : plan;
  }

  /** A plan whose own expressions' subqueries are rewritten; the plan itself where none changes. */
  public static LogicalPlan mapSubqueries(LogicalPlan plan, Rewrite rewrite) {
    return planExpressions(plan).isEmpty() ? plan : (LogicalPlan) plan.mapExpressions(new InSubqueries(rewrite));
  }

  private static final class InSubqueries extends AbstractFunction1 {
    private final Rewrite rewrite;

    InSubqueries(Rewrite rewrite) {
      this.rewrite = rewrite;
    }

    public Object apply(Object given) {
      Expression expression = (Expression) given;
      if (!hasSubquery(expression)) return expression;
      expression = (Expression) expression.mapChildren(this);
      if (!(expression instanceof PlanExpression)) return expression;
      PlanExpression subquery = (PlanExpression) expression;
      if (!(subquery.plan() instanceof LogicalPlan)) return expression;
      LogicalPlan before = (LogicalPlan) subquery.plan();
      LogicalPlan after = rewrite.of(before);
      return after == before ? expression : subquery.withNewPlan(after);
    }
  }

  /** The ids of the columns that an expression names. */
  public static Set references(Expression expression) {
    return ids(list(expression.references()));
  }

  /** The ids of the columns that a plan puts out. */
  public static Set output(LogicalPlan plan) {
    return ids(list(plan.output()));
  }

  /** The ids of columns. */
  public static Set ids(List attributes) {
    Set found = new HashSet();
    for (int i = 0; i < attributes.size(); i++) found.add(Long.valueOf(((Attribute) attributes.get(i)).exprId().id()));
    return found;
  }

  /** A case class of its first parameters; the others, of which each Spark has some more, are as they are by default. */
  public static Object made(Class of, Object[] first) {
    try {
      Constructor[] all = of.getConstructors();
      Constructor longest = all[0];
      for (int i = 1; i < all.length; i++) {
        if (all[i].getParameterTypes().length > longest.getParameterTypes().length) longest = all[i];
      }
      Class companion = Class.forName(of.getName() + "$", true, of.getClassLoader());
      Object module = companion.getField("MODULE$").get(null);
      Object[] given = new Object[longest.getParameterTypes().length];
      for (int i = 0; i < given.length; i++) {
        if (i < first.length) given[i] = first[i];
        else given[i] = companion.getMethod("apply$default$" + (i + 1), new Class[0]).invoke(module, new Object[0]);
      }
      return longest.newInstance(given);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(of.getSimpleName() + " cannot be made in this Spark: " + error);
    }
  }
}
