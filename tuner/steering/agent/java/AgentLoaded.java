package tuner.steering.agent;

import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.io.IOUtils;
import org.apache.spark.scheduler.SparkListenerEvent;

/** Says in the event log that the agent runs, and what it was told where the properties do not hold that. */
public final class AgentLoaded implements SparkListenerEvent {
  private final String source;
  private final String directives;
  private final String problem;

  public AgentLoaded(String source, String directives, String problem) {
    this.source = source;
    this.directives = directives;
    this.problem = problem;
  }

  public int getVersion() {
    return Directives.VERSION;
  }

  /** conf or file. */
  public String getSource() {
    return source;
  }

  /** The text of the file. */
  public String getDirectives() {
    return directives;
  }

  public String getProblem() {
    return problem;
  }

  /** The digest of what the jar was made of; "" where it says none. */
  public String getRelease() {
    InputStream file = AgentLoaded.class.getResourceAsStream("release.txt");
    if (file == null) return "";
    try {
      String release = IOUtils.toString(file, "UTF-8");
      file.close();
      return release;
    } catch (IOException error) {
      return "";
    }
  }

  public boolean logEvent() {
    return true;
  }
}
