package tuner.steering.agent;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.Option;

/** Tables in partitions that Spark reads by Hive's own formats, pruned as Spark prunes them once the agent has looked at sizes. */
public final class HivePartitions {
  // Of a module that a Spark may be without.
  private static final String RULE = "org.apache.spark.sql.hive.execution.PruneHiveTablePartitions";

  private HivePartitions() {}

  /** The plan with the partitions that its filters ask for; as it is without such tables. */
  public static LogicalPlan pruned(LogicalPlan plan) {
    if (!reads(plan)) return plan;
    Option session = SparkSession.getActiveSession();
    if (session.isEmpty()) return plan;
    try {
      Class rule = Class.forName(RULE, true, LogicalPlan.class.getClassLoader());
      return (LogicalPlan) ((Rule) rule.getConstructors()[0].newInstance(new Object[] {session.get()})).apply(plan);
    } catch (ReflectiveOperationException error) {
      return plan;
    }
  }

  /** Whether nothing tells yet which of its partitions are read. */
  public static boolean isToBePruned(HiveTableRelation table) {
    return table.isPartitioned() && table.prunedPartitions().isEmpty();
  }

  private static boolean reads(LogicalPlan plan) {
    List leaves = Trees.leaves(plan);
    for (int i = 0; i < leaves.size(); i++) {
      Object leaf = leaves.get(i);
      if (leaf instanceof HiveTableRelation && isToBePruned((HiveTableRelation) leaf)) return true;
    }
    return false;
  }
}
