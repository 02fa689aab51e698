package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** What of a plan the agent may touch, and which relations it reads. */
public final class Scope {
  // Changes of rows that are not Spark's own (up to Spark 3.4 Iceberg brings its operators), or that a table makes by itself; a
  // recursion is planned anew for each of its steps.
  private static final Set UNTOUCHED = new HashSet(Arrays.asList(new Object[] {
      "MergeIntoTable", "UpdateTable", "DeleteFromTable", "UpdateRows", "MergeIntoIcebergTable",
      "UpdateIcebergTable", "DeleteFromIcebergTable", "ReplaceIcebergData", "WriteIcebergDelta", "UnionLoop", "UnionLoopRef"}));

  private static final String CACHES = "org.apache.spark.sql.execution.CacheManager";
  private static final Set DATASETS = new HashSet(Arrays.asList(new Object[] {
      "org.apache.spark.sql.Dataset", "org.apache.spark.sql.classic.Dataset"}));

  private Scope() {}

  /** Why a plan is left as it is; null where it may be steered. */
  public static String obstacle(LogicalPlan plan, List operators) {
    if (plan.isStreaming()) return "streaming queries are left as they are";
    if (isKept()) return "what fills a cache or a checkpoint is left as it is: whoever reads it may take rows as they lie there";
    boolean changesRows = RowChanges.areIn(operators);
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan operator = (LogicalPlan) operators.get(i);
      String name = operator.getClass().getSimpleName();
      // What draws numbers by the places of its rows makes other ones of other places.
      if (name.equals("Sample")) return "a sample is not deterministic";
      boolean deterministic = changesRows ? RowChanges.isDeterministic(operator) : operator.deterministic();
      if (!deterministic) return "the plan is not deterministic";
      if (UNTOUCHED.contains(name)) return "plans with " + name + " are left as they are";
      if (!changesRows && RowChanges.isChanged(operator)) return "a table whose rows are changed is left as it is";
    }
    return null;
  }

  /** Whether this thread plans what a cache or a checkpoint is to hold: nothing else tells, and who reads it is planned later. */
  private static boolean isKept() {
    StackTraceElement[] calls = new Throwable().getStackTrace();
    for (int i = 0; i < calls.length; i++) {
      String name = calls[i].getClassName();
      // checkpoint, localCheckpoint, and what Scala makes of their parts.
      if (name.equals(CACHES) || DATASETS.contains(name) && calls[i].getMethodName().contains("heckpoint")) return true;
    }
    return false;
  }

  /** The names of all relations that a plan and its subqueries read. */
  public static Set relations(List operators, Names names) {
    Set found = new HashSet();
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan plan = (LogicalPlan) operators.get(i);
      if (Trees.children(plan).isEmpty() && !Trees.isNothing(plan)) found.add(names.of(plan));
    }
    return found;
  }
}
