package tests.steering;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Tables of (id, v) in the memory of one process, which Spark may change row by row, and which know their largest values; a table that
 * is dropped is as at first. One task reads those whose name begins with single_, two the others. The agent cannot ask `unnameable`
 * for its name.
 */
public class RowsCatalog implements TableCatalog {
  private static final int ROWS = 60;
  private static final Map TABLES = new HashMap();
  private String name;

  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  public String name() {
    return name;
  }

  public Identifier[] listTables(String[] namespace) {
    return new Identifier[0];
  }

  public Table loadTable(Identifier identifier) {
    synchronized (TABLES) {
      if (!TABLES.containsKey(identifier.name())) TABLES.put(identifier.name(), new RowsTable(identifier.name()));
      return (Table) TABLES.get(identifier.name());
    }
  }

  public Table createTable(Identifier identifier, StructType schema, Transform[] partitions, Map properties) {
    throw new UnsupportedOperationException();
  }

  public Table alterTable(Identifier identifier, TableChange[] changes) {
    throw new UnsupportedOperationException();
  }

  public boolean dropTable(Identifier identifier) {
    synchronized (TABLES) {
      return TABLES.remove(identifier.name()) != null;
    }
  }

  public void renameTable(Identifier from, Identifier to) {
    throw new UnsupportedOperationException();
  }

  public static class RowsTable implements SupportsRead, SupportsRowLevelOperations {
    private final String name;
    private List rows = new ArrayList();

    RowsTable(String name) {
      this.name = name;
      for (int i = 0; i < ROWS; i++) rows.add(new long[] {i, i % 7});
    }

    public String name() {
      StackTraceElement[] calls = new Throwable().getStackTrace();
      if (name.equals("unnameable") && calls[1].getClassName().startsWith("tuner.")) throw new IllegalStateException("no name");
      return name;
    }

    public StructType schema() {
      return new StructType().add("id", DataTypes.LongType).add("v", DataTypes.LongType);
    }

    public Set capabilities() {
      Set found = new HashSet();
      found.add(TableCapability.BATCH_READ);
      found.add(TableCapability.BATCH_WRITE);
      return found;
    }

    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return new RowsScan(this);
    }

    public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
      return new RowsChange(this, info);
    }
  }

  /** Writes the whole table anew. */
  public static class RowsChange implements RowLevelOperationBuilder, RowLevelOperation {
    private final RowsTable table;
    private final RowLevelOperationInfo info;

    RowsChange(RowsTable table, RowLevelOperationInfo info) {
      this.table = table;
      this.info = info;
    }

    public RowLevelOperation build() {
      return this;
    }

    public RowLevelOperation.Command command() {
      return info.command();
    }

    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return new RowsScan(table);
    }

    public WriteBuilder newWriteBuilder(LogicalWriteInfo logical) {
      return new RowsWrite(table);
    }
  }

  public static class RowsScan implements ScanBuilder, SupportsPushDownAggregates, SupportsReportPartitioning, Batch {
    private final RowsTable table;
    private String largest;

    RowsScan(RowsTable table) {
      this.table = table;
    }

    public boolean pushAggregation(Aggregation asked) {
      AggregateFunc[] functions = asked.aggregateExpressions();
      boolean known = functions.length == 1 && functions[0] instanceof Max && asked.groupByExpressions().length == 0;
      if (known) largest = ((Max) functions[0]).column().describe();
      return known;
    }

    public Scan build() {
      return largest == null ? this : (Scan) new RowsLargest(table, largest);
    }

    public StructType readSchema() {
      return table.schema();
    }

    public Batch toBatch() {
      return this;
    }

    public Partitioning outputPartitioning() {
      return new UnknownPartitioning(planInputPartitions().length);
    }

    public InputPartition[] planInputPartitions() {
      if (table.name.startsWith("single_")) return new InputPartition[] {new RowsPart(new ArrayList(table.rows))};
      int half = table.rows.size() / 2;
      return new InputPartition[] {
          new RowsPart(new ArrayList(table.rows.subList(0, half))),
          new RowsPart(new ArrayList(table.rows.subList(half, table.rows.size())))};
    }

    public PartitionReaderFactory createReaderFactory() {
      return new RowsReaders();
    }
  }

  /** The largest value of a column, which is there without a job, as Iceberg has it of its metadata. */
  public static class RowsLargest implements LocalScan {
    private final RowsTable table;
    private final String column;

    RowsLargest(RowsTable table, String column) {
      this.table = table;
      this.column = column;
    }

    public StructType readSchema() {
      return new StructType().add("max(" + column + ")", DataTypes.LongType);
    }

    public InternalRow[] rows() {
      int at = table.schema().fieldIndex(column);
      long most = Long.MIN_VALUE;
      for (int i = 0; i < table.rows.size(); i++) most = Math.max(most, ((long[]) table.rows.get(i))[at]);
      return new InternalRow[] {new GenericInternalRow(new Object[] {Long.valueOf(most)})};
    }
  }

  public static class RowsPart implements InputPartition {
    final List rows;

    RowsPart(List rows) {
      this.rows = rows;
    }
  }

  public static class RowsReaders implements PartitionReaderFactory {
    public PartitionReader createReader(InputPartition part) {
      return new RowsReader(((RowsPart) part).rows);
    }
  }

  public static class RowsReader implements PartitionReader {
    private final List rows;
    private int at = -1;

    RowsReader(List rows) {
      this.rows = rows;
    }

    public boolean next() {
      at++;
      return at < rows.size();
    }

    public Object get() {
      long[] row = (long[]) rows.get(at);
      return new GenericInternalRow(new Object[] {Long.valueOf(row[0]), Long.valueOf(row[1])});
    }

    public void close() {}
  }

  public static class RowsWrite implements WriteBuilder, Write, BatchWrite {
    private final RowsTable table;

    RowsWrite(RowsTable table) {
      this.table = table;
    }

    public Write build() {
      return this;
    }

    public BatchWrite toBatch() {
      return this;
    }

    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
      return new RowsWriters();
    }

    public void commit(WriterCommitMessage[] messages) {
      List all = new ArrayList();
      for (int i = 0; i < messages.length; i++) all.addAll(((RowsMessage) messages[i]).rows);
      table.rows = all;
    }

    public void abort(WriterCommitMessage[] messages) {}
  }

  public static class RowsWriters implements DataWriterFactory {
    public DataWriter createWriter(int partition, long task) {
      return new RowsWriter();
    }
  }

  public static class RowsWriter implements DataWriter {
    private final List rows = new ArrayList();

    public void write(Object record) {
      InternalRow row = (InternalRow) record;
      rows.add(new long[] {row.getLong(0), row.getLong(1)});
    }

    public WriterCommitMessage commit() {
      return new RowsMessage(rows);
    }

    public void abort() {}

    public void close() {}
  }

  public static class RowsMessage implements WriterCommitMessage, Serializable {
    final List rows;

    RowsMessage(List rows) {
      this.rows = rows;
    }
  }
}
