package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * What the items of a block compute that may fail, computed above the block instead: of rows that all its joins have left. Of these
 * the written order computes it, too.
 */
public final class PullUp {
  // By the ids of their columns.
  private final Map computed = new HashMap();

  /** What may be pulled up of these items: nothing that is `asked` for. */
  public PullUp(List items, Set asked) {
    for (int i = 0; i < items.size(); i++) if (items.get(i) instanceof Project) add((Project) items.get(i), asked);
  }

  /**
   * The ids of the columns that joins and filters ask for, which Spark may ask below, and of those from which a projection computes
   * another, or renames one: with that it merges what computes it, and a log would tell of another query.
   */
  public static Set asked(List operators) {
    Set found = new HashSet();
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      if (one instanceof Join || one instanceof Filter) found.addAll(Trees.ids(Trees.list(one.references())));
      List columns = one instanceof Project ? Trees.list(((Project) one).projectList()) : Collections.EMPTY_LIST;
      for (int k = 0; k < columns.size(); k++) {
        if (columns.get(k) instanceof Alias) found.addAll(Trees.references((Expression) columns.get(k)));
      }
    }
    return found;
  }

  private void add(Project project, Set asked) {
    // Its joins would be of the block above, in the log of that run.
    if (JoinBlock.isInner(JoinBlock.below(project.child()))) return;
    List columns = Trees.list(project.projectList());
    for (int i = 0; i < columns.size(); i++) {
      if (!(columns.get(i) instanceof Alias)) continue;
      Alias alias = (Alias) columns.get(i);
      Expression of = alias.child();
      boolean waits = NeverFails.obstacle(of) != null && !asked.contains(id(alias)) && isOfValues(of);
      if (waits && areCarried(Trees.references(of), project)) computed.put(id(alias), alias);
    }
  }

  /** Whether an expression is the same wherever it stands; a function of the job's own may take longer than all joins. */
  private static boolean isOfValues(Expression expression) {
    if (!expression.deterministic() || Trees.hasSubquery(expression) || Trees.hasOuterReference(expression)) return false;
    if (expression instanceof UserDefinedExpression) return false;
    List children = Trees.list(expression.children());
    for (int i = 0; i < children.size(); i++) if (!isOfValues((Expression) children.get(i))) return false;
    return true;
  }

  /** Whether the joins carry columns, or may: those of numbers, dates and times make no row much longer. */
  private static boolean areCarried(Set ids, Project project) {
    Set missing = new HashSet(ids);
    List columns = Trees.list(project.projectList());
    for (int i = 0; i < columns.size(); i++) if (columns.get(i) instanceof AttributeReference) missing.remove(id(columns.get(i)));
    // Spark pads a text under the id that it has (ApplyCharTypePadding).
    if (!Collections.disjoint(missing, Trees.output(project))) return false;
    List below = Trees.list(project.child().output());
    for (int i = 0; i < below.size(); i++) {
      Attribute column = (Attribute) below.get(i);
      if (UnsafeRow.isFixedLength(column.dataType())) missing.remove(id(column));
    }
    return missing.isEmpty();
  }

  /** Items without what is pulled up, and with what that is computed of. */
  public List below(List items) {
    List found = new ArrayList();
    for (int i = 0; i < items.size(); i++) found.add(below((LogicalPlan) items.get(i)));
    return found;
  }

  private LogicalPlan below(LogicalPlan item) {
    if (!(item instanceof Project)) return item;
    Project project = (Project) item;
    List columns = Trees.list(project.projectList());
    List kept = new ArrayList();
    Set needed = new HashSet();
    Set put = new HashSet();
    for (int i = 0; i < columns.size(); i++) {
      Alias alias = (Alias) computed.get(id(columns.get(i)));
      if (alias == null) put.add(id(columns.get(i)));
      if (alias == null) kept.add(columns.get(i));
      else needed.addAll(Trees.references(alias.child()));
    }
    if (kept.size() == columns.size()) return item;
    List below = Trees.list(project.child().output());
    for (int i = 0; i < below.size(); i++) {
      if (needed.contains(id(below.get(i))) && put.add(id(below.get(i)))) kept.add(below.get(i));
    }
    return new Project(Trees.seq(kept), project.child());
  }

  /** The columns of a block, each that is pulled up as what computes it. */
  public List above(List output) {
    List found = new ArrayList();
    for (int i = 0; i < output.size(); i++) {
      Object alias = computed.get(id(output.get(i)));
      found.add(alias == null ? output.get(i) : alias);
    }
    return found;
  }

  private static Long id(Object column) {
    return Long.valueOf(((NamedExpression) column).exprId().id());
  }
}
