package tuner.steering.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.IOUtils;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.FileTable;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Relations under the names that `tuner.plan.relation` gives the scans which Spark plans for them. The rules for paths
 * are its own: they come with the jar as path_rules.json.
 */
public final class Names {
  private static final int LONGEST = 500;
  private static final int LONGEST_RDD = 60;
  private static final int MOST_PATHS = 10000;
  private static final Pattern SCAN = Pattern.compile("^(?:Scan|FileScan|BatchScan)\\s+");
  private static final Pattern FORMAT =
      Pattern.compile("^(?:parquet|orc|csv|json|text|avro|delta|hive|jdbc|binaryFile|xml)(?:\\s+|$)");
  /** Java's Object.toString: a class, and a hash that each object has of its own. */
  private static final Pattern OBJECT = Pattern.compile("[\\w.$]+@[0-9a-f]{1,8}");
  private static final Pattern PLAIN_COLUMN = Pattern.compile("[A-Za-z0-9_]+");
  /** White space to who reads the text of a plan, which is not of ASCII alone. */
  static final Pattern SPACE = Pattern.compile("(?U)[\\s\\x1c-\\x1f]");
  // Where the text of a plan is read, the name of a column ends at any of these.
  private static final Pattern BREAKS = Pattern.compile(SPACE + "|[,()\\[\\]=<>]");
  private static final String JDBC = "JDBCRelation";
  // Before Spark 3.4 (SPARK-40067) the text of a scan tells its table only where the source describes itself so.
  private static final boolean SCANS_NAME_TABLES = scansNameTables();
  private static final String ICEBERG = "org.apache.iceberg.";
  private static final Pattern IN_QUERIES = Pattern.compile("(?U)[\\s'(]");
  private static final Pattern WORD = Pattern.compile("(?U)[a-z_][\\w.]*");
  private static final int LONGEST_QUERY = 200;
  private static final Pattern SPACES = Pattern.compile("[\\t\\n\\u000b\\f\\r\\u001c-\\u001e\\u001f\\u0085\\u2028\\u2029]");
  private static final Pattern UNPRINTABLE = Pattern.compile(
      "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff]");
  private static final Map PATHS = new ConcurrentHashMap();
  private static List beforeAt;
  private static List anywhere;
  private static List ofTables;
  private static List ofQueries;

  // Of one plan: what is below each of its operators, and what its leaves are called.
  private final IdentityHashMap below = new IdentityHashMap();
  private final IdentityHashMap leaves = new IdentityHashMap();
  // By the ids of columns: the leaf that a column is read from, and the column.
  private final Map columns = new HashMap();
  private final IdentityHashMap indexed = new IdentityHashMap();

  /** Lets go of the plan. */
  public void forget() {
    below.clear();
    leaves.clear();
    columns.clear();
    indexed.clear();
  }

  /** The relations read below an operator, sorted, repeated as often as they are read; not those of subqueries. */
  public List relations(LogicalPlan plan) {
    List known = (List) below.get(plan);
    if (known != null) return known;
    List found = new ArrayList();
    List children = Trees.children(plan);
    if (children.isEmpty() && !Trees.isNothing(plan)) found.add(of(plan));
    for (int i = 0; i < children.size(); i++) found.addAll(relations((LogicalPlan) children.get(i)));
    Collections.sort(found);
    below.put(plan, found);
    return found;
  }

  /** The name of a leaf; one that starts with "?" is that of no scan. */
  public String of(LogicalPlan leaf) {
    String known = (String) leaves.get(leaf);
    if (known == null) {
      known = nameOf(leaf);
      leaves.put(leaf, known);
    }
    return known;
  }

  /** Note the columns of a leaf; the first that has a column owns it. */
  public void index(LogicalPlan leaf) {
    if (leaf instanceof Range || indexed.put(leaf, leaf) != null) return; // the text of a range names no columns
    List output = Trees.list(leaf.output());
    for (int i = 0; i < output.size(); i++) {
      Long id = Long.valueOf(((Attribute) output.get(i)).exprId().id());
      if (!columns.containsKey(id)) columns.put(id, new Object[] {leaf, output.get(i)});
    }
  }

  /** `relation.column` of a column that is read from a leaf; null of any other. */
  public String ofColumn(Long id) {
    Object[] read = (Object[]) columns.get(id);
    return read == null ? null : of((LogicalPlan) read[0]) + "." + lastWord((Attribute) read[1]);
  }

  /** Whether a leaf has another column that the text of a plan calls the same: `order date` and `ship date` are `date`. */
  public boolean sharesName(Long id) {
    Object[] read = (Object[]) columns.get(id);
    List output = read == null ? new ArrayList() : Trees.list(((LogicalPlan) read[0]).output());
    int named = 0;
    for (int i = 0; i < output.size(); i++) {
      if (lastWord((Attribute) output.get(i)).equalsIgnoreCase(lastWord((Attribute) read[1]))) named++;
    }
    return named > 1;
  }

  /** What of a column's name stands before its number, where the text of a plan is read. */
  static String lastWord(Attribute column) {
    String[] words = BREAKS.split(column.name(), -1);
    return words[words.length - 1];
  }

  private static String nameOf(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) return ofRelation((LogicalRelation) leaf);
    if (leaf instanceof HiveTableRelation) {
      return identifier(named("Scan hive " + ((HiveTableRelation) leaf).tableMeta().qualifiedName()));
    }
    if (isLocalScan(leaf)) return "localtablescan";
    Table table = tableOf(leaf);
    if (table != null) return ofTable(table);
    if (leaf instanceof InMemoryRelation) {
      return ((InMemoryRelation) leaf).cacheBuilder().tableName().isDefined() ? "in-memory" : "cached";
    }
    if (leaf instanceof LocalRelation) return "localtablescan";
    if (leaf instanceof OneRowRelation) return "onerowrelation";
    if (leaf instanceof Range) return "range";
    if (leaf instanceof LogicalRDD) return ofRows((LogicalRDD) leaf);
    if (leaf instanceof ExternalRDD) {
      String rdd = ((ExternalRDD) leaf).rdd().name();
      String name = rdd == null ? "" : named("Scan " + rdd);
      return name.isEmpty() ? "scan" : identifier(name);
    }
    return "?" + leaf.getClass().getSimpleName();
  }

  /** Rows without a name by their columns, where the text of their scan has all of these, and can be read. */
  private static String ofRows(LogicalRDD leaf) {
    List output = Trees.list(leaf.output());
    if (leaf.rdd().name() != null || output.isEmpty() || output.size() > SQLConf.get().maxToStringFields()) return "existingrdd";
    List names = new ArrayList();
    for (int i = 0; i < output.size(); i++) {
      String name = ((Attribute) output.get(i)).name();
      if (!PLAIN_COLUMN.matcher(name).matches()) return "existingrdd";
      names.add(name);
    }
    Collections.sort(names);
    StringBuilder found = new StringBuilder("existingrdd");
    for (int i = 0; i < names.size(); i++) found.append(i == 0 ? ':' : '-').append((String) names.get(i));
    return identifier(found.toString(), LONGEST_RDD);
  }

  /** The table that is read through Spark's second API for data sources; null for other leaves. */
  static Table tableOf(LogicalPlan leaf) {
    // Orders come before Spark has made scans of these, hints after.
    if (leaf instanceof DataSourceV2Relation) return ((DataSourceV2Relation) leaf).table();
    return leaf instanceof DataSourceV2ScanRelation ? ((DataSourceV2ScanRelation) leaf).relation().table() : null;
  }

  /** Whether what is asked of a table is there without a job: Iceberg takes the largest of a column from its metadata. */
  private static boolean isLocalScan(LogicalPlan leaf) {
    return leaf instanceof DataSourceV2ScanRelation && ((DataSourceV2ScanRelation) leaf).scan() instanceof LocalScan;
  }

  private static String ofTable(Table table) {
    boolean isNamed = SCANS_NAME_TABLES || table instanceof FileTable || table.getClass().getName().startsWith(ICEBERG);
    String name = isNamed ? named("BatchScan " + table.name()) : "";
    return name.isEmpty() ? "batchscan" : identifier(name);
  }

  private static boolean scansNameTables() {
    try {
      Method[] methods = BatchScanExec.class.getMethods();
      for (int i = 0; i < methods.length; i++) if (methods[i].getName().equals("table")) return true;
      return false;
    } catch (Throwable error) {
      return true; // as most releases; without this class nothing could be named
    }
  }

  private static String ofRelation(LogicalRelation leaf) {
    String table = leaf.catalogTable().isDefined()
        ? ((CatalogTable) leaf.catalogTable().get()).identifier().unquotedString() : "";
    String name = named("Scan " + leaf.relation() + " " + table);
    if (name.isEmpty() && leaf.relation() instanceof HadoopFsRelation) {
      List roots = Trees.list(((HadoopFsRelation) leaf.relation()).location().rootPaths());
      return roots.isEmpty() ? "?" : path(roots.get(0).toString().split("[,\\]]", 2)[0]);
    }
    return name.isEmpty() ? "?" : identifier(name);
  }

  /** What the full name of a scan tells: a table, a path, or nothing. */
  private static String named(String fullName) {
    int jdbc = fullName.indexOf(JDBC + "(");
    if (jdbc >= 0) return table("jdbc:" + ofJdbc(inBrackets(fullName, jdbc + JDBC.length()).trim()));
    String name = FORMAT.matcher(SCAN.matcher(fullName).replaceFirst("")).replaceFirst("");
    name = name.split("\\[", 2)[0].split("\\(", 2)[0].trim();
    if (name.isEmpty()) return "";
    String[] words = name.split("\\s+", 3);
    String first = words[0];
    if (name.indexOf('/') >= 0) return path(first);
    if (OBJECT.matcher(first).matches()) first = words.length > 1 ? words[1] : first.substring(0, first.indexOf('@'));
    if (first.startsWith("spark_catalog.")) first = first.substring("spark_catalog.".length());
    return table(first.replace("`", "").toLowerCase(Locale.ROOT));
  }

  /** A table by its name; a query by its columns and functions, for its literals change. */
  private static String ofJdbc(String source) {
    String text = source.toLowerCase(Locale.ROOT);
    if (!IN_QUERIES.matcher(source).find()) return text.replaceAll("[`\"]", "");
    loadRules();
    Matcher words = WORD.matcher(replaced(text, ofQueries));
    StringBuilder found = new StringBuilder();
    while (words.find()) found.append(found.length() == 0 ? "" : "_").append(words.group());
    return found.length() > LONGEST_QUERY ? found.substring(0, LONGEST_QUERY) : found.toString();
  }

  /** What stands between the bracket at a place of a text and the one that closes it; "" where that is not there. */
  private static String inBrackets(String text, int start) {
    int depth = 0;
    for (int i = start; i < text.length(); i++) {
      if ("([{".indexOf(text.charAt(i)) >= 0) depth++;
      else if (")]}".indexOf(text.charAt(i)) >= 0) depth--;
      if (depth == 0) return text.substring(start + 1, i);
    }
    return "";
  }

  /** The name of a table without dates, which change from run to run. */
  private static String table(String name) {
    loadRules();
    return replaced(name, ofTables);
  }

  /** A path without what changes from run to run, and without credentials. */
  static String path(String given) {
    String known = (String) PATHS.get(given);
    if (known != null) return known;
    loadRules();
    String path = given.replaceAll("/+$", "");
    int at = path.lastIndexOf('@') + 1;
    if (at > 0) path = replaced(path.substring(0, at), beforeAt) + path.substring(at);
    path = replaced(path, anywhere);
    while (path.endsWith("/*")) path = path.substring(0, path.length() - 2);
    String name = identifier(path);
    if (PATHS.size() < MOST_PATHS) PATHS.put(given, name);
    return name;
  }

  private static String replaced(String text, List rules) {
    for (int i = 0; i < rules.size(); i++) {
      Object[] rule = (Object[]) rules.get(i);
      text = ((Pattern) rule[0]).matcher(text).replaceAll((String) rule[1]);
    }
    return text;
  }

  private static synchronized void loadRules() {
    if (ofQueries != null) return;
    try {
      InputStream file = Names.class.getResourceAsStream("path_rules.json");
      JsonNode rules = Json.read(IOUtils.toString(file, "UTF-8"));
      file.close();
      beforeAt = rulesOf(Json.field(rules, "at"));
      anywhere = rulesOf(Json.field(rules, "rules"));
      ofTables = rulesOf(Json.field(rules, "tables"));
      ofQueries = rulesOf(Json.field(rules, "jdbc"));
    } catch (java.io.IOException error) {
      throw new IllegalStateException("path_rules.json of the agent's jar cannot be read", error);
    }
  }

  private static List rulesOf(JsonNode pairs) {
    List rules = new ArrayList();
    for (int i = 0; i < pairs.size(); i++) {
      JsonNode rule = Json.element(pairs, i);
      rules.add(new Object[] {Pattern.compile(Json.element(rule, 0).asText()), Json.element(rule, 1).asText()});
    }
    return rules;
  }

  /** A printable name of at most 500 characters; a digest tells apart what is cut (tuner.printable.identifier). */
  public static String identifier(String name) {
    return identifier(name, LONGEST);
  }

  private static String identifier(String name, int longest) {
    if (name.length() > longest) {
      name = name.substring(0, longest - 13) + "~" + sha256(name).substring(0, 12);
    }
    return isPlain(name) ? name : UNPRINTABLE.matcher(SPACES.matcher(name).replaceAll(" ")).replaceAll("\ufffd");
  }

  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) if (name.charAt(i) < ' ' || name.charAt(i) > '~') return false;
    return true;
  }

  /** 16 hex digits: what signatures are (tuner.plan.digest). */
  public static String digest(String text) {
    return sha256(text).substring(0, 16);
  }

  private static String sha256(String text) {
    try {
      byte[] bytes = MessageDigest.getInstance("SHA-256").digest(text.getBytes("UTF-8"));
      StringBuilder hex = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        hex.append(Character.forDigit((bytes[i] >> 4) & 15, 16)).append(Character.forDigit(bytes[i] & 15, 16));
      }
      return hex.toString();
    } catch (java.security.GeneralSecurityException error) {
      throw new IllegalStateException(error);
    } catch (java.io.UnsupportedEncodingException error) {
      throw new IllegalStateException(error);
    }
  }
}
