package tuner.steering.agent;

import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.SparkListenerEvent;

/** Says in the event log what became of a query's directives in one plan. */
public final class PlanSteered implements SparkListenerEvent {
  private final long executionId;
  private final String fingerprint;
  private final List outcomes;
  private final long tookMicros;
  private final String literals;
  private final List conditions;
  private final Map trace;

  public PlanSteered(
      long executionId, String fingerprint, List outcomes, long tookMicros, String literals, List conditions, Map trace) {
    this.executionId = executionId;
    this.fingerprint = fingerprint;
    this.outcomes = outcomes;
    this.tookMicros = tookMicros;
    this.literals = literals;
    this.conditions = conditions;
    this.trace = trace;
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

  /**
   * Maps of id, status (applied, held, ignored, impossible) and reason; of what is held a code and numbers too, of what gave the
   * plan other filters `merges`; where the plan may be that of several queries, of all but the first its `query`.
   */
  public List getOutcomes() {
    return outcomes;
  }

  /** What both rules took. */
  public long getTookMicros() {
    return tookMicros;
  }

  /** The id of the values that the plan's conditions hold; "" where they could not be told. */
  public String getLiterals() {
    return literals;
  }

  /** The values by columns: pairs of the columns of a condition and a digest of it; null where they could not be told. */
  public List getConditions() {
    return conditions;
  }

  /** With spark.tuner.agent.trace what the parts of the plan are called (Trace); null without. */
  public Map getTrace() {
    return trace;
  }

  public boolean logEvent() {
    return true;
  }
}
