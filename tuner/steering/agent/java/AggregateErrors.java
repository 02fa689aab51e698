package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Corr;
import org.apache.spark.sql.catalyst.expressions.aggregate.Kurtosis;
import org.apache.spark.sql.catalyst.expressions.aggregate.Percentile;
import org.apache.spark.sql.catalyst.expressions.aggregate.Skewness;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;

/**
 * Aggregates that may raise an error where they are made of other rows, which NeverFails allows where the rows stay the same: sums
 * that leave their type, and what divides by a spread of zero, or counts less than nothing.
 */
public final class AggregateErrors {
  private static final Set NUMBERS = new HashSet(Arrays.asList(new Object[] {"byte", "short", "integer", "float", "double"}));

  private AggregateErrors() {}

  /** A function that may raise an error where it is computed of other rows, by its SQL name; null for none. */
  public static String obstacle(LogicalPlan plan) {
    String found = null;
    List expressions = plan instanceof Aggregate ? Trees.list(((Aggregate) plan).aggregateExpressions()) : new ArrayList();
    for (int i = 0; found == null && i < expressions.size(); i++) found = obstacle((Expression) expressions.get(i));
    List children = Trees.children(plan);
    for (int i = 0; found == null && i < children.size(); i++) found = obstacle((LogicalPlan) children.get(i));
    return found;
  }

  private static String obstacle(Expression expression) {
    if (mayRaise(expression)) return expression.prettyName();
    List children = Trees.list(expression.children());
    String found = null;
    for (int i = 0; found == null && i < children.size(); i++) found = obstacle((Expression) children.get(i));
    return found;
  }

  private static boolean mayRaise(Expression function) {
    List inputs = Trees.list(function.children());
    if (function instanceof Sum || function instanceof Average) {
      return !isNarrow((Expression) inputs.get(0), function instanceof Average);
    }
    if (function instanceof Percentile) return !isCounted((Expression) inputs.get(2));
    return function instanceof Corr || function instanceof Skewness || function instanceof Kurtosis;
  }

  /** Whether each value counts as often as is written there, once or more. */
  private static boolean isCounted(Expression frequency) {
    Object value = frequency instanceof Literal ? ((Literal) frequency).value() : null;
    return value instanceof Number && ((Number) value).longValue() > 0;
  }

  /** Whether ten billion of the largest values still have room in their sum: a decimal's has ten digits more (Sum.resultType). */
  private static boolean isNarrow(Expression value, boolean isAveraged) {
    DataType type = value.dataType();
    if (type instanceof DecimalType) return ((DecimalType) type).precision() <= DecimalType.MAX_PRECISION() - 10;
    if (type.typeName().equals("long")) return isAveraged || value instanceof UnscaledValue;
    return NUMBERS.contains(type.typeName());
  }
}
