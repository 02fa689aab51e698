package tuner.steering.agent;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;

/**
 * Which columns a plan reads of relations whose rows may hang on that: what parses text drops a row, or makes another of it, for a
 * column that it parses (CSVOptions.parseMode, UnivocityParser.requiredSchema). Files of columns have the same rows whatever is read.
 */
public final class ReadColumns {
  private ReadColumns() {}

  /** Why a plan could get other rows once it is rewritten so; null where it cannot. */
  public static String obstacle(LogicalPlan before, LogicalPlan after) {
    boolean same = of(before).equals(of(after));
    return same ? null : "which rows a relation has may hang on the columns that are read of it";
  }

  /** The ids of the columns, a set for each such relation, in the order of the plan. */
  private static List of(LogicalPlan plan) {
    List found = new ArrayList();
    add(plan, null, found);
    return found;
  }

  /** `wanted` are the columns that are taken of the plan; null for all. */
  private static void add(LogicalPlan plan, Set wanted, List found) {
    List subqueries = Trees.subqueries(plan);
    for (int i = 0; i < subqueries.size(); i++) add((LogicalPlan) subqueries.get(i), null, found);
    List children = Trees.children(plan);
    if (children.isEmpty() && mayParse(plan)) {
      Set columns = Trees.output(plan);
      if (wanted != null) columns.retainAll(wanted);
      found.add(columns);
    }
    Set below = null;
    if (plan instanceof Project || plan instanceof Aggregate) below = asked(Trees.list(plan.expressions()));
    if (plan instanceof Filter && wanted != null) {
      below = new HashSet(wanted);
      below.addAll(Trees.references(((Filter) plan).condition()));
    }
    for (int i = 0; i < children.size(); i++) add((LogicalPlan) children.get(i), below, found);
  }

  private static Set asked(List expressions) {
    Set found = new HashSet();
    for (int i = 0; i < expressions.size(); i++) found.addAll(Trees.references((Expression) expressions.get(i)));
    return found;
  }

  /** Tables of the second API have been told their columns by now, and differ where those do. */
  private static boolean mayParse(LogicalPlan leaf) {
    if (leaf instanceof HiveTableRelation) return true;
    if (!(leaf instanceof LogicalRelation)) return false;
    Object relation = ((LogicalRelation) leaf).relation();
    if (!(relation instanceof HadoopFsRelation)) return true;
    Object format = ((HadoopFsRelation) relation).fileFormat();
    return !(format instanceof ParquetFileFormat || format.getClass().getSimpleName().equals("OrcFileFormat"));
  }
}
