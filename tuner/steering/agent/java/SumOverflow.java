package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;

/** Sums that may leave their type where they are made of other rows, which NeverFails allows where the rows stay the same. */
public final class SumOverflow {
  private static final Set NUMBERS = new HashSet(Arrays.asList(new Object[] {"byte", "short", "integer", "float", "double"}));

  private SumOverflow() {}

  /** A function that may leave its type where it is computed of other rows, by its SQL name; null for none. */
  public static String obstacle(LogicalPlan plan) {
    String found = null;
    List expressions = plan instanceof Aggregate ? Trees.list(((Aggregate) plan).aggregateExpressions()) : new ArrayList();
    for (int i = 0; found == null && i < expressions.size(); i++) found = obstacle((Expression) expressions.get(i));
    List children = Trees.children(plan);
    for (int i = 0; found == null && i < children.size(); i++) found = obstacle((LogicalPlan) children.get(i));
    return found;
  }

  private static String obstacle(Expression expression) {
    List children = Trees.list(expression.children());
    boolean adds = expression instanceof Sum || expression instanceof Average;
    if (adds && !isNarrow(expression, (Expression) children.get(0))) return expression.prettyName();
    String found = null;
    for (int i = 0; found == null && i < children.size(); i++) found = obstacle((Expression) children.get(i));
    return found;
  }

  /**
   * Whether ten billion of the largest values still have room in their sum: a decimal's has ten digits more (Sum.resultType), and a
   * long integer, where errors are not asked for, wraps around, to the same in every order.
   */
  private static boolean isNarrow(Expression sum, Expression value) {
    DataType type = value.dataType();
    if (type instanceof DecimalType) return ((DecimalType) type).precision() <= DecimalType.MAX_PRECISION() - 10;
    if (type.typeName().equals("long")) {
      return sum instanceof Average || value instanceof UnscaledValue || !NeverFails.raises(sum);
    }
    return NUMBERS.contains(type.typeName());
  }
}
