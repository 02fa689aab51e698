package tuner.steering.agent;

import java.util.List;
import org.apache.spark.scheduler.SparkListenerEvent;

/** Says in the event log what became of a query's directives in one plan. */
public final class PlanSteered implements SparkListenerEvent {
  private final long executionId;
  private final String fingerprint;
  private final List outcomes;
  private final long tookMicros;
  private final String columns;
  private final List joins;
  private final String literals;

  public PlanSteered(long executionId, String fingerprint, List outcomes, long tookMicros, String columns, List joins,
      String literals) {
    this.executionId = executionId;
    this.fingerprint = fingerprint;
    this.outcomes = outcomes;
    this.tookMicros = tookMicros;
    this.columns = columns;
    this.joins = joins;
    this.literals = literals;
  }

  public int getVersion() {
    return Directives.VERSION;
  }

  /** The SQL execution, -1 where it has not begun. */
  public long getExecutionId() {
    return executionId;
  }

  /** The query as the directives name it, "" where none was expected. */
  public String getFingerprint() {
    return fingerprint;
  }

  /** Maps of id, status (applied, held, ignored, impossible) and reason. */
  public List getOutcomes() {
    return outcomes;
  }

  /** What both rules took. */
  public long getTookMicros() {
    return tookMicros;
  }

  /** With spark.tuner.agent.trace a digest of the columns that the plan reads; null without. */
  public String getColumns() {
    return columns;
  }

  /** With spark.tuner.agent.trace the joins of the plan; null without. */
  public List getJoins() {
    return joins;
  }

  /** The id of the values that the plan's conditions hold; "" where they could not be told. */
  public String getLiterals() {
    return literals;
  }

  public boolean logEvent() {
    return true;
  }
}
