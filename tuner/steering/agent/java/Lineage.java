package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/** Where columns come from, told as `tuner.plan.lineage` tells it of the physical plan. */
public final class Lineage {
  private static final Set CASTS = new HashSet(Arrays.asList(new Object[] {
      "Cast", "AnsiCast", "TryCast", "KnownFloatingPointNormalized", "NormalizeNaNAndZero", "PromotePrecision"}));
  private static final Pattern GENERATED = Pattern.compile("(_gen_alias|_extract)_\\d+");
  private static final Pattern SUBQUERY = Pattern.compile("\\b(?:scalar-)?subquery\\b");

  private final Names names;
  // By the ids of columns: the column that one renames, the name of what one computes.
  private final Map renamed = new HashMap();
  private final Map computed = new HashMap();

  /** The lineage of every column in a plan, subqueries included. */
  public Lineage(List operators, Names names) {
    this.names = names;
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan plan = (LogicalPlan) operators.get(i);
      if (plan instanceof Project) addProject((Project) plan);
      else if (Trees.children(plan).isEmpty()) names.index(plan);
    }
  }

  private void addProject(Project project) {
    List columns = Trees.list(project.projectList());
    for (int i = 0; i < columns.size(); i++) {
      if (!(columns.get(i) instanceof Alias)) continue;
      Alias alias = (Alias) columns.get(i);
      // Where the text of a plan is read, what is called by several words is no alias.
      if (Names.SPACE.matcher(alias.name()).find()) continue;
      Long id = Long.valueOf(alias.exprId().id());
      Expression stripped = withoutCasts(alias.child());
      if (isOneWord(stripped)) renamed.put(id, id((Attribute) stripped));
      else computed.put(id, alias.name());
    }
  }

  /** `relation.column` of a key, or what it computes as an expression over names. */
  public String source(Expression expression) {
    return Names.identifier(sourceOf(expression));
  }

  private String sourceOf(Expression expression) {
    Expression stripped = withoutCasts(expression);
    if (isOneWord(stripped)) {
      return ofColumn(((Attribute) stripped).name(), id((Attribute) stripped));
    }
    return computedOf(stripped);
  }

  /** The source of a column that the text of a condition names: it tells the last word alone. */
  public String sourceOfWord(Attribute column) {
    return Names.identifier(ofColumn(Names.lastWord(column), id(column)));
  }

  private static boolean isOneWord(Expression expression) {
    return expression instanceof Attribute && Names.lastWord((Attribute) expression).equals(((Attribute) expression).name());
  }

  /** What is computed of columns, by their sources. */
  public String computedOf(Expression expression) {
    TreeSet parts = new TreeSet();
    List columns = Trees.list(expression.references());
    for (int i = 0; i < columns.size(); i++) {
      Attribute column = (Attribute) columns.get(i);
      String last = Names.lastWord(column);
      if (!last.isEmpty()) parts.add(ofColumn(last, id(column)));
    }
    StringBuilder text = new StringBuilder();
    for (Object part : parts) text.append(text.length() == 0 ? "" : ",").append((String) part);
    return "expression(" + text + ")";
  }

  private String ofColumn(String name, Long id) {
    id = original(id);
    String read = names.ofColumn(id);
    if (read != null) return read;
    String known = (String) computed.get(id);
    return SUBQUERY.matcher(GENERATED.matcher(known == null ? name : known).replaceAll("$1")).replaceAll("subquery");
  }

  /** Whether a column is one of a relation, as it is or renamed. */
  public boolean isRead(Attribute column) {
    return names.ofColumn(original(id(column))) != null;
  }

  /** Whether the text of a plan calls another column of its relation the same. */
  public boolean sharesName(Attribute column) {
    return names.sharesName(original(id(column)));
  }

  /** The column that a renamed one stands for, as far down as the plan tells. */
  private Long original(Long id) {
    Set seen = new HashSet();
    while (names.ofColumn(id) == null && renamed.containsKey(id) && seen.add(id)) id = (Long) renamed.get(id);
    return id;
  }

  private static Expression withoutCasts(Expression expression) {
    for (int i = 0; i < 50 && CASTS.contains(expression.getClass().getSimpleName()); i++) {
      expression = (Expression) Trees.list(expression.children()).get(0);
    }
    return expression;
  }

  private static Long id(Attribute column) {
    return Long.valueOf(column.exprId().id());
  }
}
