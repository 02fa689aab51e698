package golden;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Runs small applications one after the other, each with an event log of its own and with what its driver knew of it. */
public final class Workload {
  static final String ROOT = "/tmp/golden";

  private Workload() {}

  /** args: lines of a file, each `name scenario codec layout aqe`; codec may be "none", layout "single" or "rolling". */
  public static void main(String[] args) throws Exception {
    forgetTheMachine();
    for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
      String[] words = line.split(" ");
      run(words[0], words[1], words[2], words[3], Boolean.parseBoolean(words[4]));
    }
    System.exit(0);
  }

  /** What the event log's EnvironmentUpdate would say of it. The driver has read these properties by now. */
  private static void forgetTheMachine() {
    System.setProperty("java.class.path", "");
    System.setProperty("java.library.path", "");
    System.setProperty("jdk.module.path", "");
    System.setProperty("os.version", "0");
    System.setProperty("sun.java.command", "golden.Workload");
    System.setProperty("java.home", System.getenv("JAVA_HOME"));
    System.setProperty("sun.boot.library.path", System.getenv("JAVA_HOME") + "/lib");
  }

  private static void run(String name, String scenario, String codec, String layout, boolean adaptive) throws Exception {
    SparkConf conf = conf(name, adaptive);
    if (!codec.equals("off")) {
      File directory = new File(ROOT + "/logs/" + name);
      Files.createDirectories(directory.toPath());
      conf.set("spark.eventLog.enabled", "true").set("spark.eventLog.dir", directory.toURI().toString());
      conf.set("spark.eventLog.rolling.enabled", String.valueOf(layout.equals("rolling")));
      conf.set("spark.eventLog.rolling.maxFileSize", "10m");
      conf.set("spark.eventLog.compress", String.valueOf(!codec.equals("none")));
      if (!codec.equals("none")) {
        conf.set("spark.eventLog.compression.codec", codec).set("spark.io.compression.codec", codec);
      }
    }
    Scenario chosen = Scenarios.named(scenario);
    chosen.configure(conf);
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    Truth truth = new Truth(spark, Paths.get(ROOT, "expected", name + ".json"));
    spark.sparkContext().addSparkListener(truth);
    chosen.run(spark, truth);
    spark.stop();
    SparkSession.clearActiveSession();
    SparkSession.clearDefaultSession();
    truth.write();
    System.out.println("wrote " + name);
  }

  private static SparkConf conf(String name, boolean adaptive) {
    return new SparkConf()
        .setMaster("local[2]")
        .setAppName(name)
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "localhost")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.callstack.depth", "2")
        .set("spark.local.dir", ROOT + "/tmp")
        .set("spark.sql.warehouse.dir", ROOT + "/warehouse")
        .set("spark.sql.shuffle.partitions", "2")
        .set("spark.sql.adaptive.enabled", String.valueOf(adaptive));
  }

  /** Empties and removes a directory. */
  static void remove(Path directory) throws Exception {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> inside = new ArrayList<>();
    Files.walk(directory).forEach(inside::add);
    Collections.reverse(inside);
    for (Path path : inside) {
      Files.delete(path);
    }
  }
}
