package tuner.steering.agent;

import java.io.File;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.io.FileUtils;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkFiles$;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** What the agent was told, and how it reports. Nothing here ever throws into a query. */
public final class Agent {
  public static final String DIRECTIVES = "spark.tuner.directives";
  public static final String FILE = "spark.tuner.directives.file";
  public static final String TRACE = "spark.tuner.agent.trace";
  public static final String ORDER_SENSITIVE = "spark.tuner.orderSensitive";
  private static final Logger LOG = LoggerFactory.getLogger("tuner.steering.agent");
  private static final Set SAID = Collections.synchronizedSet(new HashSet());
  private static final int MOST_WARNINGS = 50;
  /** What comes of most failures. */
  public static final String UNCHANGED = "the plan stays as it was";

  // What sessions have said, by application and source.
  private static final Map KNOWN = new LinkedHashMap();
  private static final int MOST_KNOWN = 16;

  private Agent() {}

  /** The queries that are directed; none where nothing or nothing readable was said. */
  public static synchronized List queries() {
    SQLConf conf = SQLConf.get();
    String text = conf.getConfString(DIRECTIVES, "");
    String file = text.isEmpty() ? conf.getConfString(FILE, "") : "";
    if (text.isEmpty() && file.isEmpty()) return Collections.EMPTY_LIST;
    // One after another may run in a JVM: each has a log of its own, which tells what was said in it.
    String source = applicationId() + " " + (file.isEmpty() ? text : "file:" + file);
    List queries = (List) KNOWN.get(source);
    if (queries != null) return queries;
    queries = Collections.EMPTY_LIST;
    String problem = "";
    try {
      if (!file.isEmpty()) text = read(file);
      queries = Directives.parse(text);
    } catch (Exception error) {
      problem = reasonOf(error);
      warn("the plans are not steered: " + problem);
    }
    if (KNOWN.size() >= MOST_KNOWN) KNOWN.clear();
    KNOWN.put(source, queries);
    post(new AgentLoaded(file.isEmpty() ? "conf" : "file", file.isEmpty() ? null : text, problem));
    return queries;
  }

  public static boolean traces() {
    return SQLConf.get().getConfString(TRACE, "false").equals("true");
  }

  /** What becomes of joins below operators to which the order of rows matters: one of RowOrder's policies. */
  public static String orderSensitive() {
    return SQLConf.get().getConfString(ORDER_SENSITIVE, "stable");
  }

  /** A file by its path, or by its name where spark-submit put it on the driver. */
  private static String read(String name) throws java.io.IOException {
    File file = new File(name);
    if (!file.isFile()) file = new File(file.getName());
    // Not SparkFiles.get: from Spark 3.5 on it looks among the files of the session, which are not the application's.
    if (!file.isFile()) file = new File(SparkFiles$.MODULE$.getRootDirectory(), file.getName());
    return FileUtils.readFileToString(file, "UTF-8");
  }

  public static void post(SparkListenerEvent event) {
    Option context = SparkContext$.MODULE$.getActive();
    if (context.isDefined()) ((SparkContext) context.get()).listenerBus().post(event);
  }

  private static String applicationId() {
    Option context = SparkContext$.MODULE$.getActive();
    return context.isDefined() ? ((SparkContext) context.get()).applicationId() : "";
  }

  /** The SQL execution that this thread is in; -1 for none. */
  public static long executionId() {
    Option context = SparkContext$.MODULE$.getActive();
    String id = context.isDefined() ? ((SparkContext) context.get()).getLocalProperty("spark.sql.execution.id") : null;
    return id == null ? -1 : Long.parseLong(id);
  }

  /** Says something once in the driver's log. */
  public static void warn(String message) {
    if (SAID.size() < MOST_WARNINGS && SAID.add(message)) LOG.warn("spark-tuner agent: " + message);
  }

  /** What must not be caught is thrown on; of the rest, what it says in one line. What comes of it is said in the log alone. */
  public static String failure(Throwable error, String effect) {
    // Not all errors of the machine: Java 8 has one for the name of a class in an object in an object of Scala's (SPARK-32999).
    if (error instanceof OutOfMemoryError || error instanceof ThreadDeath) throw (Error) error;
    String reason = "the agent failed: " + reasonOf(error);
    warn(reason + "; " + effect);
    postFailure(reason);
    return reason;
  }

  private static void postFailure(String reason) {
    try {
      if (traces()) post(new AgentFailed(executionId(), reason));
    } catch (Throwable error) {
      warn("an event was not posted: " + reasonOf(error));
    }
  }

  private static String reasonOf(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.getClass().getName() : error.getClass().getSimpleName() + ": " + message;
  }
}
