package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.execution.datasources.v2.FileTable;

/** Whether a plan that runs twice gives the same rows: nobody else promises it, and Spark takes no RDD or LIMIT for random. */
public final class Repeatable {
  // Rows that the plan holds. Those of a cache may be made again for each reading, where memory lacks.
  private static final Set HELD = new HashSet(Arrays.asList("LocalRelation Range OneRowRelation".split(" ")));
  private static final String ICEBERG = "org.apache.iceberg.spark.source.";

  private Repeatable() {}

  /** What of a plan may give other rows the next time; null for nothing. */
  public static String obstacle(LogicalPlan plan) {
    return obstacle(plan, false);
  }

  /** The same where files may be listed each time: only what is written while the query runs would tell the readings apart. */
  public static String obstacleBesideFiles(LogicalPlan plan) {
    return obstacle(plan, true);
  }

  private static String obstacle(LogicalPlan plan, boolean besideFiles) {
    List operators = Trees.everything(plan);
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      boolean isFixed = !Trees.children(one).isEmpty() || isSnapshot(one) || besideFiles && isOfFiles(one);
      if (!isFixed) return one.nodeName();
    }
    return RowOrder.sensitiveIn(operators);
  }

  private static boolean isOfFiles(LogicalPlan leaf) {
    if (leaf instanceof HiveTableRelation) return true;
    if (leaf instanceof DataSourceV2Relation) {
      Object table = ((DataSourceV2Relation) leaf).table();
      return table instanceof FileTable || table.getClass().getName().startsWith(ICEBERG);
    }
    return leaf instanceof LogicalRelation && (Object) ((LogicalRelation) leaf).relation() instanceof HadoopFsRelation;
  }

  /**
   * Whether the rows of a relation are fixed when it is planned: its files are listed, or its version is known. A query of a
   * database or a topic is sent each time, and of a Hive table that Spark does not read itself the files are listed each time, as
   * are those of a partitioned table of a catalog that no filter pruned (CatalogFileIndex).
   */
  private static boolean isSnapshot(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) {
      Object relation = ((LogicalRelation) leaf).relation();
      return relation instanceof HadoopFsRelation && ListedFiles.areKnown(((HadoopFsRelation) relation).location());
    }
    if (leaf instanceof DataSourceV2ScanRelation) {
      Object scan = ((DataSourceV2ScanRelation) leaf).scan();
      return scan instanceof FileScan || scan.getClass().getName().startsWith(ICEBERG);
    }
    return HELD.contains(leaf.getClass().getSimpleName());
  }
}
