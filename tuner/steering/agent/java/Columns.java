package tuner.steering.agent;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Exists;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** The columns that a plan reads, as the scans will which Spark plans for it (tuner.model.query.Query.columns). */
public final class Columns {
  private Columns() {}

  /** 16 hex digits over the columns of all relations, those of subqueries included. */
  public static String digest(LogicalPlan plan, List operators, Names names) {
    Set used = used(plan, operators);
    TreeSet read = new TreeSet();
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan leaf = (LogicalPlan) operators.get(i);
      if (!Trees.children(leaf).isEmpty() || leaf instanceof Range || Trees.isNothing(leaf)) continue;
      // Only these are still as wide as the table, or as the rows that stand in the query (ConvertToLocalRelation comes later).
      boolean whole = leaf instanceof LogicalRelation || leaf instanceof HiveTableRelation || leaf instanceof DataSourceV2Relation
          || leaf instanceof LocalRelation;
      String relation = names.of(leaf);
      List columns = Trees.list(leaf.output());
      for (int k = 0; k < columns.size(); k++) {
        Attribute column = (Attribute) columns.get(k);
        if (whole && !used.contains(Long.valueOf(column.exprId().id()))) continue;
        String name = Names.lastWord(column);
        if (!name.isEmpty()) read.add(relation + "." + name);
      }
    }
    StringBuilder text = new StringBuilder();
    for (Object name : read) text.append(text.length() == 0 ? "" : "\n").append((String) name);
    return Names.digest(text.toString());
  }

  /** The ids of the columns that something is made of: what no operator names has been pruned by now. */
  private static Set used(LogicalPlan plan, List operators) {
    Set used = new HashSet(Trees.output(plan));
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan operator = (LogicalPlan) operators.get(i);
      List children = Trees.children(operator);
      if (children.isEmpty()) continue;
      used.addAll(Trees.ids(Trees.list(operator.references())));
      boolean byPosition = operator instanceof Union || operator instanceof Command;
      for (int k = 0; byPosition && k < children.size(); k++) used.addAll(Trees.output((LogicalPlan) children.get(k)));
      List subqueries = Trees.planExpressions(operator);
      for (int k = 0; k < subqueries.size(); k++) {
        PlanExpression subquery = (PlanExpression) subqueries.get(k);
        if (!(subquery instanceof Exists)) used.addAll(Trees.output((LogicalPlan) subquery.plan()));
      }
    }
    return used;
  }
}
