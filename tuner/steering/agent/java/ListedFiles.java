package tuner.steering.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.CatalogFileIndex;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.internal.SQLConf;
import scala.collection.immutable.Nil$;

/**
 * Whether plans that are equal to Spark read the same files: it takes two listings of a path for equal, whatever was written between
 * them (InMemoryFileIndex.equals).
 */
public final class ListedFiles {
  private static final String PREPARED_BY_DELTA = "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex";

  private ListedFiles() {}

  /** Of plans whose relations correspond place by place. */
  public static boolean areSame(LogicalPlan one, LogicalPlan other) {
    List files = of(one);
    List others = of(other);
    boolean same = files.size() == others.size();
    for (int i = 0; same && i < files.size(); i++) same = areSame((FileIndex) files.get(i), (FileIndex) others.get(i));
    return same;
  }

  /**
   * The bytes of a relation's files as they were listed for this run; 0 where none were, as of a partitioned table that is read
   * whole.
   */
  public static long bytes(LogicalPlan leaf) {
    FileIndex files = ofLeaf(leaf);
    return files instanceof PartitioningAwareFileIndex ? files.sizeInBytes() : 0;
  }

  /**
   * The bytes of all files of a catalog's table in partitions, as Spark lists them once it knows that it reads all of them; -1 of
   * other relations, and where Spark would list them once more then.
   */
  public static long bytesOfAllPartitions(LogicalPlan leaf) {
    if (!areInPartitions(leaf) || SQLConf.get().filesourcePartitionFileCacheSize() <= 0) return -1;
    CatalogFileIndex files = (CatalogFileIndex) ofLeaf(leaf);
    Long known = (Long) Pass.listed().get(files);
    if (known == null) {
      known = Long.valueOf(files.filterPartitions(Nil$.MODULE$).sizeInBytes());
      Pass.listed().put(files, known);
    }
    return known.longValue();
  }

  /** Whether a relation is a catalog's table in partitions that nobody has listed yet. */
  public static boolean areInPartitions(LogicalPlan leaf) {
    return ofLeaf(leaf) instanceof CatalogFileIndex;
  }

  /**
   * Whether it is known which files a relation is read of, and so how large it is: no filter takes partitions from it later. Delta
   * looks its version up once for all scans of a query, and leaves out what their filters do not ask for (PrepareDeltaScan).
   */
  public static boolean areKnown(FileIndex files) {
    return files instanceof PartitioningAwareFileIndex || files.getClass().getName().equals(PREPARED_BY_DELTA);
  }

  private static List of(LogicalPlan plan) {
    List found = new ArrayList();
    List operators = Trees.everything(plan);
    for (int i = 0; i < operators.size(); i++) {
      FileIndex files = ofLeaf((LogicalPlan) operators.get(i));
      if (files != null) found.add(files);
    }
    return found;
  }

  private static FileIndex ofLeaf(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) {
      Object relation = ((LogicalRelation) leaf).relation();
      return relation instanceof HadoopFsRelation ? ((HadoopFsRelation) relation).location() : null;
    }
    Object scan = leaf instanceof DataSourceV2ScanRelation ? ((DataSourceV2ScanRelation) leaf).scan() : null;
    return scan instanceof FileScan ? ((FileScan) scan).fileIndex() : null;
  }

  /** Others list their files when they are read, or tell versions apart. */
  private static boolean areSame(FileIndex one, FileIndex other) {
    boolean isListed = one instanceof PartitioningAwareFileIndex && other instanceof PartitioningAwareFileIndex;
    if (one == other || !isListed) return true;
    return new HashSet(Arrays.asList(one.inputFiles())).equals(new HashSet(Arrays.asList(other.inputFiles())));
  }
}
