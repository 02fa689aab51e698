package tuner.steering.agent;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryOperator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;

/** The values that a plan's conditions hold, by columns, as `tuner.plan.literals` tells them of the plan's text. */
public final class Literals {
  private static final int MOST_ROWS = 1000;
  private static final Pattern CUT = Pattern.compile("\\.\\.\\. [0-9]+ more (?:fields|characters)");
  private static final Pattern SUBQUERY = Pattern.compile(
      "(?:ReusedSubquery )?(?:Subquery )?(?:scalar-subquery|subquery|exists|list)#[0-9]{1,18}"
      + "(?:,? \\[[^\\]]{0,500}\\])?(?:\\.\\w{1,100})?");
  private static final Pattern ID = Pattern.compile("#[0-9]{1,18}L?");
  // Stands for the number sign of a value that looks like a column, such as `Brand#23`.
  private static final String LIKE_COLUMN = "\u0002";
  private static final String CLOSING = ")]";
  // The end of `max(day)#7`: where such a name begins, the text does not tell. A Python function, `f(day#3)#7`, has columns in it.
  private static final Pattern OF_BRACKETED_NAME = Pattern.compile("[)\\]]#[0-9]{1,18}");
  private static final Pattern INNERMOST = Pattern.compile("[(\\[]([^()\\[\\]]*)[)\\]](#[0-9]{1,18})?");
  private static final Pattern HAS_COLUMN = Pattern.compile("#[0-9]");
  private static final String LAMBDA = "lambdafunction(";
  // Stands for a column, or a condition between columns; what a condition without values comes down to.
  private static final String A_COLUMN = "\u0003";
  private static final Pattern OF_COLUMNS = Pattern.compile(
      "cast\\(\u0003 as [a-z]+(?:\\([0-9, ]+\\))?\\)|\\(\u0003 (?:=|<=>|<=|>=|<|>|AND|OR) \u0003\\)|\u0003 IN \\(\u0003\\)"
      + "|NOT \u0003|(?:isnull|isnotnull|knownfloatingpointnormalized|normalizenanandzero)?\\(\u0003\\)");
  // Before the digest that stands for columns which no relation has.
  private static final String COMPUTED = "computed:";
  private static final int DEEPEST = 50;
  // What begins as a list of INSET and is none, up to the bracket that ends it, is passed over at once: none begins in it.
  private static final Pattern LIST = Pattern.compile(
      " (?:IN \\(([^()]*)\\)|INSET ([^()]*?)(?=\\)| AND | OR |$)|INSET(?= )[^()]*?(?= IN \\(|\\())");
  private static final String CHARACTER = "[^\\s,()\\[\\]=<>]";
  private static final Pattern COLUMN = Pattern.compile("(?U)(" + CHARACTER
      + "(?>(?:[^\\s,()\\[\\]=<>#]++|#(?![0-9]{1,18}(?![0-9])))*))#([0-9]{1,18})(?![0-9])L?|" + CHARACTER + "++");
  private static final Pattern DAY = Pattern.compile(
      "(?<![0-9A-Za-z.])(19[7-9][0-9]|2[01][0-9]{2})([-/]?)(0[1-9]|1[0-2])\\2(0[1-9]|[12][0-9]|3[01])"
      + "(?:[T _-]?(?:[01][0-9]|2[0-3])(?::?[0-5][0-9]){0,2}(?:\\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
      + "(?![0-9A-Za-z_])");

  private final List entries = new ArrayList();
  // Of each entry: the columns it is on, or "".
  private final List columnsOf = new ArrayList();
  private final Lineage lineage;

  /** The conditions, limits and inline rows of all operators of a plan. */
  public Literals(List operators, Lineage lineage) {
    this.lineage = lineage;
    for (int i = 0; i < operators.size(); i++) addAll((LogicalPlan) operators.get(i));
  }

  /** Pairs of the columns of a condition and a digest of it with its values, each once. */
  public List conditions() {
    TreeSet found = new TreeSet();
    for (int i = 0; i < entries.size(); i++) {
      found.add(columnsOf.get(i) + "=" + Names.digest(withSortedLists((String) entries.get(i))));
    }
    List pairs = new ArrayList();
    for (Object one : found) {
      int end = ((String) one).lastIndexOf('=');
      pairs.add(Arrays.asList((Object[]) new String[] {((String) one).substring(0, end), ((String) one).substring(end + 1)}));
    }
    return pairs;
  }

  /**
   * The class that conditions are of, whatever is asked of the neutral columns; but for several conditions on what is computed under
   * one name, which may have nothing to do with one another.
   */
  public static String classOf(List conditions, Collection neutral) {
    List names = new ArrayList();
    for (int i = 0; i < conditions.size(); i++) names.add(((List) conditions.get(i)).get(0));
    TreeSet told = new TreeSet();
    for (int i = 0; i < conditions.size(); i++) {
      String columns = (String) names.get(i);
      boolean computed = columns.startsWith(COMPUTED);
      boolean any = neutral.contains(columns) && (!computed || Collections.frequency(names, columns) == 1);
      told.add(any ? columns : (computed ? "" : columns) + "=" + ((List) conditions.get(i)).get(1));
    }
    return digestOf(told);
  }

  /** 16 hex digits over all of it, days by the calendar rule: the id of runs before conditions were told apart. */
  public String id() {
    List texts = daysApart(entries);
    TreeSet sorted = new TreeSet();
    for (int i = 0; i < texts.size(); i++) sorted.add(withSortedLists((String) texts.get(i)));
    return digestOf(sorted);
  }

  private static String digestOf(TreeSet sorted) {
    StringBuilder text = new StringBuilder();
    for (Object entry : sorted) text.append(text.length() == 0 ? "" : "\n").append((String) entry);
    return Names.digest(text.toString());
  }

  private void addAll(LogicalPlan plan) {
    if (plan instanceof Filter) addCondition(((Filter) plan).condition());
    if (plan instanceof Join && ((Join) plan).condition().isDefined()) {
      addCondition((Expression) ((Join) plan).condition().get());
    }
    if (plan instanceof GlobalLimit) add("", "limit " + ((GlobalLimit) plan).limitExpr());
    if (plan instanceof LocalRelation) addRows((LocalRelation) plan);
  }

  private void add(String columns, String entry) {
    columnsOf.add(columns);
    entries.add(entry);
  }

  private void addCondition(Expression condition) {
    if (condition instanceof And) {
      addCondition(((And) condition).left());
      addCondition(((And) condition).right());
      return;
    }
    // Most null checks Spark adds by itself; none holds a value.
    if (condition instanceof IsNotNull) return;
    String text = condition.toString();
    // What is cut does not tell all; SQL is never cut.
    boolean cut = CUT.matcher(text).find();
    if (cut) text = condition.sql();
    else if (condition instanceof BinaryOperator) text = text.substring(1, text.length() - 1);
    String plain = SUBQUERY.matcher(text).replaceAll("subquery");
    Map columns = new HashMap();
    List named = Trees.list(condition.references());
    for (int i = 0; i < named.size(); i++) {
      columns.put(String.valueOf(((Attribute) named.get(i)).exprId().id()), named.get(i));
    }
    String marked = withValuesMarked(condition, plain, columns);
    boolean like = !marked.equals(plain);
    if (!like && !holdsValue(text)) return;
    String entry = ID.matcher(withColumns(marked, columns)).replaceAll("");
    add(cut || like ? "" : columnsOf(plain, columns), entry);
  }

  /**
   * The columns of a condition by their sources; a digest of these where one is none that is read, for its name may be made of a
   * value. "" where it is on none, or the text does not tell all.
   */
  private String columnsOf(String text, Map columns) {
    if (text.contains(LAMBDA) || hasBracketedName(text)) return "";
    TreeSet sources = new TreeSet();
    boolean areRead = true;
    Matcher found = COLUMN.matcher(text);
    while (found.find()) {
      if (found.group(2) == null) continue;
      Attribute column = column(found, columns);
      if (column == null || lineage.sharesName(column)) return "";
      areRead &= lineage.isRead(column);
      sources.add(lineage.sourceOfWord(column));
    }
    return areRead ? joined(sources) : computed(sources);
  }

  /** Whether a number stands behind brackets that have no column in them, at any depth. */
  private static boolean hasBracketedName(String condition) {
    String text = condition;
    for (int i = 0; i < DEEPEST; i++) {
      if (!OF_BRACKETED_NAME.matcher(text).find()) return false;
      String shorter = withoutInnermost(text);
      if (shorter.equals(text)) break;
      text = shorter;
    }
    return true;
  }

  private static String withoutInnermost(String text) {
    Matcher found = INNERMOST.matcher(text);
    StringBuffer shorter = new StringBuffer();
    while (found.find()) {
      boolean hasColumn = HAS_COLUMN.matcher(found.group(1)).find();
      String left = hasColumn ? A_COLUMN + "#0" : found.group(2) == null ? "" : found.group();
      found.appendReplacement(shorter, Matcher.quoteReplacement(left));
    }
    return found.appendTail(shorter).toString();
  }

  private static String computed(TreeSet names) {
    return COMPUTED + Names.digest(joined(names));
  }

  private static String joined(TreeSet names) {
    StringBuilder text = new StringBuilder();
    for (Object name : names) text.append(text.length() == 0 ? "" : ",").append((String) name);
    return text.toString();
  }

  /** Whether anything but columns is compared. */
  private boolean holdsValue(String conjunct) {
    String text = withColumns(SUBQUERY.matcher(conjunct).replaceAll(A_COLUMN), null);
    text = "(" + ID.matcher(text).replaceAll(A_COLUMN) + ")";
    for (int i = 0; i < DEEPEST; i++) {
      String shorter = OF_COLUMNS.matcher(text).replaceAll(A_COLUMN);
      if (shorter.equals(text)) break;
      text = shorter;
    }
    return !text.equals(A_COLUMN);
  }

  /** A text with the sources of its columns in their places; without any, with the mark of a column. */
  private String withColumns(String text, Map columns) {
    Matcher found = COLUMN.matcher(text);
    StringBuffer result = new StringBuffer();
    while (found.find()) {
      String source = found.group();
      if (found.group(2) != null) source = columns == null ? A_COLUMN : sourceOf(found, columns);
      found.appendReplacement(result, Matcher.quoteReplacement(source));
    }
    found.appendTail(result);
    return result.toString();
  }

  private String sourceOf(Matcher found, Map columns) {
    Attribute column = column(found, columns);
    return column == null ? found.group(1) : lineage.sourceOfWord(column);
  }

  /**
   * A text with another mark for the number sign of values that look like columns: what is made of the text would not tell them from
   * these. Arguments of lambdas look like columns, too, with other numbers in each run.
   */
  private static String withValuesMarked(Expression condition, String text, Map columns) {
    TreeSet values = new TreeSet();
    if (text.contains("lambda")) addOfLiterals(condition, values);
    boolean told = !text.contains("lambda");
    Matcher words = COLUMN.matcher(text);
    StringBuffer result = new StringBuffer();
    while (words.find()) {
      boolean value = told ? isValue(words, text, columns) : values.contains(words.group());
      String word = value ? words.group().replace("#", LIKE_COLUMN) : words.group();
      words.appendReplacement(result, Matcher.quoteReplacement(word));
    }
    return words.appendTail(result).toString();
  }

  private static boolean isValue(Matcher word, String text, Map columns) {
    if (word.group(2) != null) return column(word, columns) == null;
    // `#23` is a value, but the number of `count(1)#23`.
    if (!ID.matcher(word.group()).lookingAt()) return false;
    return word.start() == 0 || CLOSING.indexOf(text.charAt(word.start() - 1)) < 0;
  }

  /** The column that a word of a text is; null where it is none of these. */
  private static Attribute column(Matcher word, Map columns) {
    Attribute found = (Attribute) columns.get(word.group(2));
    return found != null && Names.lastWord(found).equalsIgnoreCase(word.group(1)) ? found : null;
  }

  private static void addOfLiterals(Expression expression, TreeSet found) {
    if (expression instanceof Literal) {
      Matcher words = COLUMN.matcher(expression.toString());
      while (words.find()) if (ID.matcher(words.group()).find()) found.add(words.group());
      return;
    }
    List children = Trees.list(expression.children());
    for (int i = 0; i < children.size(); i++) addOfLiterals((Expression) children.get(i), found);
  }

  /** Data that stands in the query. */
  private void addRows(LocalRelation relation) {
    List rows = Trees.list(relation.data());
    List columns = Trees.list(relation.output());
    TreeSet names = new TreeSet();
    for (int k = 0; k < columns.size(); k++) names.add(((Attribute) columns.get(k)).name());
    for (int i = 0; i < rows.size() && rows.size() <= MOST_ROWS; i++) {
      StringBuilder text = new StringBuilder("row");
      for (int k = 0; k < columns.size(); k++) {
        DataType type = ((Attribute) columns.get(k)).dataType();
        text.append(k == 0 ? " " : ",").append(new Literal(((InternalRow) rows.get(i)).get(k, type), type));
      }
      add(computed(names), text.toString());
    }
  }

  /** The same condition with the values of each list sorted, however Spark wrote it. */
  public static String withSortedLists(String text) {
    Matcher found = LIST.matcher(text);
    StringBuffer result = new StringBuffer();
    while (found.find()) {
      String list = found.group(1) != null ? found.group(1) : found.group(2);
      if (list == null) {
        found.appendReplacement(result, Matcher.quoteReplacement(found.group()));
        continue;
      }
      String[] values = list.split(",", -1);
      TreeSet sorted = new TreeSet();
      for (int i = 0; i < values.length; i++) sorted.add(values[i].trim());
      StringBuilder joined = new StringBuilder();
      for (Object value : sorted) joined.append(joined.length() == 0 ? "" : ",").append((String) value);
      found.appendReplacement(result, Matcher.quoteReplacement(" IN (" + joined + ")"));
    }
    found.appendTail(result);
    return result.toString();
  }

  /** The calendar rule, as in `tuner.plan.days_apart`. */
  public static List daysApart(List texts) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < texts.size(); i++) {
      Matcher found = DAY.matcher((String) texts.get(i));
      while (found.find()) if (day(found) != Long.MAX_VALUE) first = Math.min(first, day(found));
    }
    List marked = new ArrayList();
    for (int i = 0; i < texts.size(); i++) {
      Matcher found = DAY.matcher((String) texts.get(i));
      StringBuffer result = new StringBuffer();
      while (found.find()) {
        long day = day(found);
        int bits = 64 - Long.numberOfLeadingZeros(day - first);
        String mark = day == Long.MAX_VALUE ? found.group() : "\u0001day" + bits;
        found.appendReplacement(result, Matcher.quoteReplacement(mark));
      }
      marked.add(found.appendTail(result).toString());
    }
    return marked;
  }

  private static long day(Matcher found) {
    try {
      return LocalDate.of(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(3)),
          Integer.parseInt(found.group(4))).toEpochDay();
    } catch (DateTimeException error) {
      return Long.MAX_VALUE;
    }
  }
}
