package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import scala.Option;
import scala.Product;

/**
 * One step down the way that the keys of rows take through a plan: an operator that hands on each of its rows, or a group of them,
 * with its keys as they came in. A row that is dropped below such an operator is missing above it, and no other row changes.
 */
public final class KeyPath {
  // Values that are equal have the same bytes, and so the same hash: not floating point, nor text by a collation.
  private static final Set EXACT = new HashSet(Arrays.asList(new Object[] {
      "byte", "short", "integer", "long", "date", "timestamp", "timestamp_ntz", "boolean", "binary"}));
  /** Joins of which each row of their left input, of their right one, comes out or not by itself. */
  static final Set FROM_LEFT = new HashSet(Arrays.asList(
      new Object[] {"Inner", "Cross", "LeftSemi", "LeftAnti", "LeftOuter"}));
  static final Set FROM_RIGHT = new HashSet(Arrays.asList(new Object[] {"Inner", "Cross", "RightOuter"}));

  /** Joins of which no row comes out but with the same keys on both sides. */
  private static final Set EQUATING = new HashSet(Arrays.asList(new Object[] {"Inner", "Cross", "LeftSemi"}));

  // Of the first rows of each group those that can be among them, since Spark 3.5: its groups come first.
  private static final String GROUP_LIMIT = "WindowGroupLimit";

  /** Which child it is, the child, and the keys as it puts them out. */
  public final int child;
  public final LogicalPlan plan;
  public final List keys;

  private KeyPath(int child, LogicalPlan plan, List keys) {
    this.child = child;
    this.plan = plan;
    this.keys = keys;
  }

  /** Why rows cannot be filtered by a pair of keys; null where they can. */
  public static String obstacle(Expression left, Expression right) {
    if (column(left) == null || column(right) == null) return "a key of the join is computed";
    if (!left.dataType().equals(right.dataType()) || !isExact(left.dataType())) return "a key of the join has no exact hash";
    return null;
  }

  /** Whether values that are equal are the same in every way. */
  public static boolean isExact(DataType type) {
    return type instanceof DecimalType || type.equals(DataTypes.StringType) || EXACT.contains(type.typeName());
  }

  /** The column that a key is, cast or not; null for one that is computed. (0.0 and -0.0 are one group, and two texts.) */
  private static Attribute column(Expression key) {
    while (key instanceof Cast && isExact(((Cast) key).child().dataType()) && NeverFails.obstacle(key) == null) {
      key = ((Cast) key).child();
    }
    return key instanceof Attribute ? (Attribute) key : null;
  }

  /** The steps below a plan, several below a union; none where the keys are made there, or rows depend on each other. */
  public static List steps(LogicalPlan plan, List keys) {
    List found = new ArrayList();
    if (plan instanceof Union) {
      List children = Trees.children(plan);
      for (int i = 0; i < children.size(); i++) {
        List output = Trees.list(((LogicalPlan) children.get(i)).output());
        found.add(step(plan, i, renamed(keys, Trees.list(plan.output()), output)));
      }
      return found;
    }
    KeyPath only = below(plan, keys);
    if (only != null) found.add(only);
    return found;
  }

  /** The step below a plan that is no union; null where there is none. */
  public static KeyPath below(LogicalPlan plan, List keys) {
    if (plan instanceof Filter || plan instanceof Sort) return step(plan, 0, keys);
    if (plan instanceof Project) return step(plan, 0, through(keys, Trees.list(((Project) plan).projectList()), null));
    if (plan instanceof Window) return ofGroups(((Window) plan).partitionSpec(), keys) ? step(plan, 0, keys) : null;
    if (plan.nodeName().equals(GROUP_LIMIT)) return ofGroups(((Product) plan).productElement(0), keys) ? step(plan, 0, keys) : null;
    if (plan instanceof Aggregate) {
      Aggregate aggregate = (Aggregate) plan;
      return step(plan, 0, through(keys, Trees.list(aggregate.aggregateExpressions()), Trees.ids(columns(aggregate.groupingExpressions()))));
    }
    if (!(plan instanceof Join)) return null;
    String type = JoinSite.typeOf((Join) plan);
    Set wanted = ids(keys);
    if (FROM_LEFT.contains(type) && Trees.output(((Join) plan).left()).containsAll(wanted)) return step(plan, 0, keys);
    if (FROM_RIGHT.contains(type) && Trees.output(((Join) plan).right()).containsAll(wanted)) return step(plan, 1, keys);
    return null;
  }

  /**
   * The step to the other input of a join that equates all of these keys with columns of that: without rows of other keys the same
   * rows are missing above. Null where there is none.
   */
  public static KeyPath across(Join join, List keys) {
    Option equated = ExtractEquiJoinKeys$.MODULE$.unapply(join);
    if (equated.isEmpty() || !EQUATING.contains(JoinSite.typeOf(join))) return null;
    List left = Trees.list(((Product) equated.get()).productElement(1));
    List right = Trees.list(((Product) equated.get()).productElement(2));
    boolean ofLeft = Trees.output(join.left()).containsAll(ids(keys));
    List found = new ArrayList();
    for (int i = 0; i < keys.size(); i++) {
      Expression equal = equal((Expression) keys.get(i), ofLeft ? left : right, ofLeft ? right : left);
      if (equal == null) return null;
      found.add(equal);
    }
    return step(join, ofLeft ? 1 : 0, found);
  }

  /** What a join equates a key with, or what is cast in it; null for nothing. */
  private static Expression equal(Expression key, List mine, List others) {
    for (int i = 0; i < mine.size(); i++) {
      Expression one = (Expression) mine.get(i);
      Expression other = (Expression) others.get(i);
      if (key.semanticEquals(one) && obstacle(one, other) == null) return other;
    }
    return key instanceof Cast ? ofChild(key, equal(((Cast) key).child(), mine, others)) : null;
  }

  private static KeyPath step(LogicalPlan plan, int child, List keys) {
    return keys == null ? null : new KeyPath(child, (LogicalPlan) Trees.children(plan).get(child), keys);
  }

  private static Set ids(List keys) {
    List columns = new ArrayList();
    for (int i = 0; i < keys.size(); i++) columns.add(column((Expression) keys.get(i)));
    return Trees.ids(columns);
  }

  private static boolean ofGroups(Object expressions, List keys) {
    return Trees.ids(columns(expressions)).containsAll(ids(keys));
  }

  private static List columns(Object expressions) {
    List found = new ArrayList();
    List all = Trees.list(expressions);
    for (int i = 0; i < all.size(); i++) if (all.get(i) instanceof Attribute) found.add(all.get(i));
    return found;
  }

  /** Keys below what renames them; null where one is computed there, or is none of the `grouped` columns. */
  private static List through(List keys, List made, Set grouped) {
    List before = new ArrayList();
    List after = new ArrayList();
    for (int i = 0; i < made.size(); i++) {
      Object one = made.get(i);
      Object from = one instanceof Alias ? ((Alias) one).child() : one;
      if (!(from instanceof Attribute)) continue;
      if (grouped != null && !grouped.contains(Long.valueOf(((Attribute) from).exprId().id()))) continue;
      before.add(one instanceof Alias ? ((Alias) one).toAttribute() : one);
      after.add(from);
    }
    return renamed(keys, before, after);
  }

  /** Keys of other columns, place by place; null where one has no place. */
  public static List renamed(List keys, List before, List after) {
    List found = new ArrayList();
    for (int i = 0; i < keys.size(); i++) {
      Expression key = renamed((Expression) keys.get(i), before, after);
      if (key == null) return null;
      found.add(key);
    }
    return found;
  }

  private static Expression renamed(Expression key, List before, List after) {
    if (key instanceof Cast) return ofChild(key, renamed(((Cast) key).child(), before, after));
    for (int i = 0; i < before.size(); i++) {
      if (((Attribute) before.get(i)).exprId().equals(((Attribute) key).exprId())) return (Expression) after.get(i);
    }
    return null;
  }

  /** A cast of another child; null where there is none. */
  private static Expression ofChild(Expression cast, Expression child) {
    return child == null ? null : (Expression) cast.withNewChildren(Trees.seq(Collections.singletonList(child)));
  }
}
