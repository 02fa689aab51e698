package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.connector.catalog.Table;

/**
 * What MERGE, UPDATE and DELETE make of a table that Spark writes row by row or file by file (RewriteRowLevelCommand). They pair the
 * rows that they read of it with those that they write: whatever reads that table stays as it is, and what is joined to it may be
 * steered.
 */
public final class RowChanges implements Trees.Rewrite {
  public static final String REASON = "joins with the table whose rows are changed are left as they are";

  private static final Set OPERATORS = new HashSet(Arrays.asList(new Object[] {"MergeRows", "ReplaceData", "WriteDelta"}));
  // RewriteMergeIntoTable.ROW_ID: MergeRowsExec looks by it whether a row matches twice, and puts it out nowhere.
  private static final String ROW_ID = "__row_id";

  private final Trees.Rewrite rewrite;

  private RowChanges(Trees.Rewrite rewrite) {
    this.rewrite = rewrite;
  }

  /** A rewriting that leaves alone what reads a table that these operators change: of other plans it is the one given. */
  public static Trees.Rewrite beside(Trees.Rewrite rewrite, List operators) {
    return areIn(operators) ? new RowChanges(rewrite) : rewrite;
  }

  public LogicalPlan of(LogicalPlan plan) {
    if (!takesChanged(plan)) return rewrite.of(plan);
    return Trees.mapSubqueries(Trees.mapChildren(plan, this), this);
  }

  /** Whether Spark's own operators change rows. */
  public static boolean areIn(List operators) {
    for (int i = 0; i < operators.size(); i++) if (changes((LogicalPlan) operators.get(i))) return true;
    return false;
  }

  private static boolean changes(LogicalPlan operator) {
    return OPERATORS.contains(operator.getClass().getSimpleName());
  }

  /** Whether a table is read for a change of its rows (RowLevelOperationTable), whatever the operator is called that writes them. */
  public static boolean isChanged(LogicalPlan leaf) {
    Table table = Names.tableOf(leaf);
    return table != null && table.getClass().getSimpleName().equals("RowLevelOperationTable");
  }

  /** Whether rows of a table that is changed go through a plan, or are written by it. */
  private static boolean takesChanged(LogicalPlan plan) {
    if (changes(plan) || isChanged(plan)) return true;
    List children = Trees.children(plan);
    for (int i = 0; i < children.size(); i++) if (takesChanged((LogicalPlan) children.get(i))) return true;
    return false;
  }

  /** Whether an operator gives the same in all places, but for the number that MERGE gives each row of the table it changes. */
  public static boolean isDeterministic(LogicalPlan operator) {
    boolean numbers = operator instanceof Project && isChanged(Trees.belowProjections(((Project) operator).child()));
    List expressions = Trees.list(operator.expressions());
    for (int i = 0; i < expressions.size(); i++) {
      Expression expression = (Expression) expressions.get(i);
      if (!expression.deterministic() && !(numbers && isRowId(expression))) return false;
    }
    return true;
  }

  private static boolean isRowId(Expression expression) {
    if (!(expression instanceof Alias)) return false;
    Alias alias = (Alias) expression;
    return alias.name().equals(ROW_ID) && alias.child() instanceof MonotonicallyIncreasingID;
  }
}
