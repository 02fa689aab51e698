package tuner.steering.agent;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetArrayItem;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.PivotFirst;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;

/** The arrays that `pivot` makes of a group, with a place for each of its values, of which it then takes one after the other. */
public final class PivotArrays {
  private PivotArrays() {}

  /** Whether a pivot has a place for each of its values: of one that is asked for twice, Sparks before 4.3 keep the second alone. */
  public static boolean hasAllPlaces(PivotFirst pivot) {
    return pivot.indexSize() == Trees.list(pivot.pivotColumnValues()).size();
  }

  /** Whether a place of an array, asked for in a plan, is there in each row: it is written there, and the array is a pivot's. */
  public static boolean hasPlace(GetArrayItem item, LogicalPlan plan) {
    Object place = item.ordinal() instanceof Literal ? ((Literal) item.ordinal()).value() : null;
    if (!(place instanceof Integer) || ((Integer) place).intValue() < 0) return false;
    Expression array = item.child();
    if (array instanceof Attribute && plan != null) array = madeBelow((Attribute) array, plan);
    return array != null && ((Integer) place).intValue() < places(array);
  }

  private static int places(Expression array) {
    Object function = array instanceof AggregateExpression ? ((AggregateExpression) array).aggregateFunction() : null;
    return function instanceof PivotFirst ? ((PivotFirst) function).indexSize() : 0;
  }

  /** What groups below a plan compute as a column; null where none does, or where it has rows of several plans. */
  private static Expression madeBelow(Attribute column, LogicalPlan plan) {
    if (plan instanceof Union) return null;
    Expression found = null;
    List children = Trees.children(plan);
    for (int i = 0; found == null && i < children.size(); i++) {
      LogicalPlan child = (LogicalPlan) children.get(i);
      found = child instanceof Aggregate ? madeAs(column, Trees.list(((Aggregate) child).aggregateExpressions())) : null;
      boolean comesUp = found == null && Trees.output(child).contains(Long.valueOf(column.exprId().id()));
      if (comesUp) found = madeBelow(column, child);
    }
    return found;
  }

  private static Expression madeAs(Attribute column, List made) {
    for (int i = 0; i < made.size(); i++) {
      boolean isIt = made.get(i) instanceof Alias && ((Alias) made.get(i)).exprId().equals(column.exprId());
      if (isIt) return ((Alias) made.get(i)).child();
    }
    return null;
  }
}
