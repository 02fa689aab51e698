package tuner.steering.agent;

import org.apache.spark.scheduler.SparkListenerEvent;

/** Says in the event log of a run that is traced that the agent failed, also where no directive tells it. */
public final class AgentFailed implements SparkListenerEvent {
  private final long executionId;
  private final String reason;

  public AgentFailed(long executionId, String reason) {
    this.executionId = executionId;
    this.reason = reason;
  }

  public long getExecutionId() {
    return executionId;
  }

  public String getReason() {
    return reason;
  }

  public boolean logEvent() {
    return true;
  }
}
