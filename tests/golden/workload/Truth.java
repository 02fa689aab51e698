package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/** What the driver itself knows of an application: its listener's counts, its plans' metrics, its queries' rows. */
final class Truth extends SparkListener {
  private final SparkSession spark;
  private final Path file;
  private final Map<String, Object> application = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> stages = new TreeMap<>();
  private final Map<Long, Map<String, Object>> executions = new TreeMap<>();
  private final Map<String, Integer> rows = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private int jobs = 0;

  Truth(SparkSession spark, Path file) {
    this.spark = spark;
    this.file = file;
    application.put("app_id", spark.sparkContext().applicationId());
    application.put("attempt", spark.sparkContext().applicationAttemptId().getOrElse(() -> null));
    application.put("version", spark.version());
  }

  /** Runs a query under a description, and remembers how many rows it gave. */
  int query(String description, String sql) {
    spark.sparkContext().setJobDescription(description);
    List<Row> result = spark.sql(sql).collectAsList();
    spark.sparkContext().setJobDescription(null);
    rows.put(beginning(description), result.size());
    return result.size();
  }

  private static String beginning(String text) {
    return text.substring(0, Math.min(text.length(), 40));
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart event) {
    jobs++;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
    StageInfo info = event.stageInfo();
    stage(info.stageId(), info.attemptNumber()).put("tasks", (long) info.numTasks());
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
    Map<String, Long> stage = stage(event.stageId(), event.stageAttemptId());
    stage.merge("ended", 1L, Long::sum);
    stage.merge("failed", event.taskInfo().failed() ? 1L : 0L, Long::sum);
    stage.merge("killed", event.taskInfo().killed() ? 1L : 0L, Long::sum);
    stage.merge("speculative", event.taskInfo().speculative() ? 1L : 0L, Long::sum);
    TaskMetrics metrics = event.taskMetrics();
    if (metrics != null) {
      stage.merge("input_records", metrics.inputMetrics().recordsRead(), Long::sum);
      stage.merge("shuffle_read_records", metrics.shuffleReadMetrics().recordsRead(), Long::sum);
      stage.merge("shuffle_write_records", metrics.shuffleWriteMetrics().recordsWritten(), Long::sum);
      stage.merge("shuffle_write_bytes", metrics.shuffleWriteMetrics().bytesWritten(), Long::sum);
      stage.merge("output_bytes", metrics.outputMetrics().bytesWritten(), Long::sum);
      stage.merge("run_time_ms", metrics.executorRunTime(), Long::sum);
    }
  }

  private Map<String, Long> stage(int id, int attempt) {
    return stages.computeIfAbsent(String.format("%03d.%d", id, attempt), key -> new TreeMap<>());
  }

  @Override
  public synchronized void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof SparkListenerSQLExecutionStart) {
      SparkListenerSQLExecutionStart start = (SparkListenerSQLExecutionStart) event;
      execution(start.executionId()).put("description", beginning(start.description()));
    } else if (event instanceof SparkListenerSQLExecutionEnd) {
      SparkListenerSQLExecutionEnd end = (SparkListenerSQLExecutionEnd) event;
      Map<String, Object> execution = execution(end.executionId());
      execution.put("ended", true);
      try {
        QueryExecution query = (QueryExecution) end.getClass().getMethod("qe").invoke(end);
        measure(query.executedPlan(), execution);
      } catch (Exception unknown) {
        execution.put("unmeasured", unknown.getClass().getSimpleName());
      }
    }
  }

  private Map<String, Object> execution(long id) {
    return executions.computeIfAbsent(id, key -> new LinkedHashMap<>());
  }

  private static void measure(SparkPlan plan, Map<String, Object> execution) throws Exception {
    List<List<Object>> joins = new ArrayList<>();
    List<List<Object>> shuffles = new ArrayList<>();
    walk(plan, joins, shuffles, Collections.newSetFromMap(new IdentityHashMap<>()));
    execution.put("joins", joins);
    execution.put("shuffles", shuffles);
  }

  /** Joins as [operator, rows it put out] and shuffles as [partitions, rows written]; what is reused counts once. */
  private static void walk(
      SparkPlan plan, List<List<Object>> joins, List<List<Object>> shuffles, Set<SparkPlan> seen) throws Exception {
    String type = plan.getClass().getSimpleName();
    if (type.startsWith("Reused") || !seen.add(plan)) {
      return;
    }
    if (type.endsWith("JoinExec") || type.equals("CartesianProductExec")) {
      joins.add(pair(type.replaceAll("Exec$", ""), metric(plan, "numOutputRows")));
    }
    if (type.equals("ShuffleExchangeExec")) {
      shuffles.add(pair(plan.outputPartitioning().numPartitions(), metric(plan, "shuffleRecordsWritten")));
    }
    for (String inner : new String[] {"executedPlan", "plan", "commandPhysicalPlan"}) {
      if (type.equals("AdaptiveSparkPlanExec") && inner.equals("executedPlan")
          || type.endsWith("QueryStageExec") && inner.equals("plan")
          || type.equals("CommandResultExec") && inner.equals("commandPhysicalPlan")) {
        walk((SparkPlan) plan.getClass().getMethod(inner).invoke(plan), joins, shuffles, seen);
      }
    }
    each(plan.children(), joins, shuffles, seen);
    each(plan.subqueries(), joins, shuffles, seen);
  }

  private static void each(
      scala.collection.Seq<?> plans, List<List<Object>> joins, List<List<Object>> shuffles, Set<SparkPlan> seen)
      throws Exception {
    for (int i = 0; i < plans.length(); i++) {
      walk((SparkPlan) plans.apply(i), joins, shuffles, seen);
    }
  }

  private static Long metric(SparkPlan plan, String name) {
    scala.Option<SQLMetric> found = plan.metrics().get(name);
    return found.isEmpty() ? null : Long.valueOf(String.valueOf(found.get().value()));
  }

  private static List<Object> pair(Object first, Object second) {
    List<Object> pair = new ArrayList<>();
    pair.add(first);
    pair.add(second);
    return pair;
  }

  /** Runs what must not succeed. */
  void failing(String description, String sql) {
    try {
      query(description, sql);
    } catch (Exception expected) {
      spark.sparkContext().setJobDescription(null);
      failures.add(description);
      return;
    }
    throw new IllegalStateException(description + " has not failed");
  }

  /** Writes what is known by now. */
  synchronized void write() throws Exception {
    application.put("jobs", jobs);
    application.put("stages", stages);
    application.put("executions", executions);
    application.put("rows", rows);
    application.put("failures", failures);
    Files.createDirectories(file.getParent());
    Files.write(file, new ObjectMapper().writeValueAsBytes(application));
  }
}
