package tuner.steering.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.FileScan;

/** Whether a plan that runs twice gives the same rows: nobody else promises it, and Spark takes no RDD or LIMIT for random. */
public final class Repeatable {
  // Rows that the plan holds. Those of a cache may be made again for each reading, where memory lacks.
  private static final Set HELD = new HashSet(Arrays.asList("LocalRelation Range OneRowRelation".split(" ")));
  private static final String PREPARED_BY_DELTA = "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex";

  private Repeatable() {}

  /** What of a plan may give other rows the next time; null for nothing. */
  public static String obstacle(LogicalPlan plan) {
    List operators = Trees.everything(plan);
    for (int i = 0; i < operators.size(); i++) {
      LogicalPlan one = (LogicalPlan) operators.get(i);
      if (Trees.children(one).isEmpty() && !isSnapshot(one)) return one.nodeName();
    }
    return RowOrder.sensitiveIn(operators);
  }

  /**
   * Whether the rows of a relation are fixed when it is planned: its files are listed, or its version is known. A query of a
   * database or a topic is sent each time, and of a Hive table that Spark does not read itself the files are listed each time, as
   * are those of a partitioned table of a catalog that no filter pruned (CatalogFileIndex).
   */
  private static boolean isSnapshot(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) return isListed(((LogicalRelation) leaf).relation());
    if (leaf instanceof DataSourceV2ScanRelation) {
      Object scan = ((DataSourceV2ScanRelation) leaf).scan();
      return scan instanceof FileScan || scan.getClass().getName().startsWith("org.apache.iceberg.spark.source.");
    }
    return HELD.contains(leaf.getClass().getSimpleName());
  }

  /** Delta looks its version up once for all scans of a query (PrepareDeltaScan). */
  private static boolean isListed(Object relation) {
    if (!(relation instanceof HadoopFsRelation)) return false;
    FileIndex files = ((HadoopFsRelation) relation).location();
    return files instanceof PartitioningAwareFileIndex || files.getClass().getName().equals(PREPARED_BY_DELTA);
  }
}
