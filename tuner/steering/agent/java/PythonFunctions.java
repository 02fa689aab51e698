package tuner.steering.agent;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Product;

/**
 * Functions in Python that take each row by itself, however many a worker gets at once, and say where they are random: those of
 * pandas and Arrow see rows beside each other.
 */
public final class PythonFunctions {
  // PythonEvalType: SQL_BATCHED_UDF, and SQL_ARROW_BATCHED_UDF, to which its rows come by Arrow (SPARK-40307).
  private static final int BY_ROW = 100;
  private static final int BY_ROW_OF_ARROW = 101;

  private PythonFunctions() {}

  /** Whether an expression calls such a function. */
  public static boolean isByRow(Object expression) {
    if (!(expression instanceof PythonUDF)) return false;
    int type = ((PythonUDF) expression).evalType();
    return type == BY_ROW || type == BY_ROW_OF_ARROW;
  }

  /** Whether an operator calls nothing but such functions: Spark takes calls out of others (ExtractPythonUDFs). */
  public static boolean areByRow(LogicalPlan plan) {
    String name = plan.getClass().getSimpleName();
    if (!name.equals("BatchEvalPython") && !name.equals("ArrowEvalPython")) return false;
    List calls = Trees.list(((Product) plan).productElement(0));
    for (int i = 0; i < calls.size(); i++) if (!isByRow(calls.get(i))) return false;
    return true;
  }
}
