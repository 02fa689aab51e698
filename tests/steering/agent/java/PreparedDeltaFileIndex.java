package org.apache.spark.sql.delta.stats;

import java.util.ArrayList;
import java.util.Collections;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;
import scala.None$;
import scala.Option;
import scala.Some;
import scala.collection.immutable.Map$;
import tuner.steering.agent.Shuffles;
import tuner.steering.agent.Trees;

/** Files as Delta has them once it has left out the partitions that a filter does not ask for. */
public class PreparedDeltaFileIndex implements FileIndex {
  private static final StructType DAY = new StructType().add("day", DataTypes.LongType);
  private final long bytes;

  public PreparedDeltaFileIndex() {
    this(0);
  }

  private PreparedDeltaFileIndex(long bytes) {
    this.bytes = bytes;
  }

  /** Whether Spark shuffles two such tables, each of one day and of so many bytes. */
  public boolean areShuffled(SparkSession session, long bytes) {
    AttributeReference[] keys = {day(), day()};
    Option equal = (Option) new Some(new EqualTo(keys[0], keys[1]));
    LogicalPlan left = ofOneDay(keys[0], session, bytes);
    LogicalPlan right = ofOneDay(keys[1], session, bytes);
    return new Shuffles().shuffles(new Join(left, right, (JoinType) Inner$.MODULE$, equal, JoinHint.NONE()));
  }

  private static AttributeReference day() {
    return new AttributeReference("day", DataTypes.LongType, true, Metadata.empty(), NamedExpression$.MODULE$.newExprId(), none());
  }

  private static LogicalPlan ofOneDay(AttributeReference day, SparkSession session, long bytes) {
    Option none = (Option) None$.MODULE$;
    FileIndex files = new PreparedDeltaFileIndex(bytes);
    scala.collection.immutable.Map options = (scala.collection.immutable.Map) Map$.MODULE$.empty();
    BaseRelation relation = new HadoopFsRelation(files, DAY, DAY, none, new ParquetFileFormat(), options, session);
    LogicalPlan scan = new LogicalRelation(relation, Trees.seq(new ArrayList(Collections.singletonList(day))), none, false, none);
    return new Filter((Expression) new EqualTo(day, new Literal(Long.valueOf(7), DataTypes.LongType)), scan);
  }

  private static scala.collection.immutable.List none() {
    return Trees.seq(new ArrayList());
  }

  public scala.collection.immutable.Seq rootPaths() {
    return none();
  }

  public scala.collection.immutable.Seq listFiles(scala.collection.immutable.Seq partitions, scala.collection.immutable.Seq data) {
    return none();
  }

  public String[] inputFiles() {
    return new String[0];
  }

  public void refresh() {}

  public long sizeInBytes() {
    return bytes;
  }

  public StructType partitionSchema() {
    return DAY;
  }
}
