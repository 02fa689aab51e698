package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Whether an expression may raise an error on some row. Another order gives conditions other rows: one that was never
 * asked of a bad row would be, and the job would fail.
 */
public final class MayFail {
  // With ANSI on these raise errors on overflow, on division by zero, or outside an array or map.
  private static final Set ARITHMETIC = new HashSet(Arrays.asList(new Object[] {
      "Add", "Subtract", "Multiply", "Divide", "IntegralDivide", "Remainder", "Pmod", "UnaryMinus", "Abs",
      "GetArrayItem", "GetMapValue", "ElementAt", "Elt", "MakeDate", "MakeTimestamp", "ToNumber", "NextDay",
      "ParseToDate", "ParseToTimestamp", "ToUnixTimestamp", "UnixTimestamp", "GetTimestamp", "Conv", "Round", "Ceil"}));
  private static final Set ALWAYS = new HashSet(Arrays.asList(new Object[] {"RaiseError", "AssertTrue", "AnsiCast"}));

  private MayFail() {}

  public static boolean of(Expression expression) {
    String name = expression.getClass().getSimpleName();
    if (expression instanceof UserDefinedExpression || ALWAYS.contains(name)) return true;
    if (SQLConf.get().ansiEnabled() && (ARITHMETIC.contains(name) || isNarrowing(expression))) return true;
    List children = Trees.list(expression.children());
    for (int i = 0; i < children.size(); i++) if (of((Expression) children.get(i))) return true;
    return false;
  }

  private static boolean isNarrowing(Expression expression) {
    if (!(expression instanceof Cast)) return false;
    Cast cast = (Cast) expression;
    return !Cast$.MODULE$.canUpCast(((Expression) cast.child()).dataType(), cast.dataType());
  }
}
