"""The bench's job: runs queries one after another over Parquet tables and writes down what each took and returned.

usage: application.py OPTIONS.json RESULTS.jsonl
It knows nothing of the tuner. OPTIONS holds `tables` (a directory with one folder for each), `catalog` (whether these are
tables of the session's catalog, with statistics, instead of temporary views), `analyze` (whether to create and analyse them
instead of running queries), `queries` (`name`, `sql` and `conf` of each) and `timeout_seconds`. A query that fails is written
down as failed, and the next one runs; so is a statement that may write, which is not run: the tables are the user's.
"""

import hashlib
import json
import os
import sys
import threading
import time

from py4j.java_gateway import is_instance_of
from pyspark.sql import SparkSession

# Sums of doubles depend on the order in which rows arrive: digits behind these are not compared.
DOUBLE_DIGITS = 9
# Of errors that lead back to themselves.
MOST_CAUSES = 20
CANCEL_AGAIN_SECONDS = 1.0
NOT_RUN = "not run: a statement that may write (%s), and these are your tables; give its SELECT, and settings by --conf"
# What parsed statements are that do something; of these all are commands but the last ones, which are no command to Spark.
COMMANDS = (
    "org.apache.spark.sql.catalyst.plans.logical.Command",
    "org.apache.spark.sql.catalyst.plans.logical.ParsedStatement",
)
ALSO_COMMANDS = frozenset({"InsertIntoDir", "UnresolvedExecuteImmediate", "Call"})
# Parsed so, and not yet analysed, these make temporary views, which a later query may read.
HARMLESS = frozenset({"CreateViewCommand", "CreateTempViewUsing"})


def main(options_file, results_file):
    with open(options_file, encoding="utf-8") as file:
        options = json.load(file)
    spark = SparkSession.builder.appName("spark-tuner bench").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    tables = sorted(os.listdir(options["tables"]))
    tables = [name for name in tables if os.path.isdir(os.path.join(options["tables"], name))]
    with open(results_file, "a", encoding="utf-8") as results:
        if options["analyze"]:
            for line in analyze(spark, options["tables"], tables):
                write(results, line)
        else:
            if not options["catalog"]:
                for name in tables:
                    spark.read.parquet(os.path.join(options["tables"], name)).createOrReplaceTempView(name)
            warm_up(spark, tables)
            for query in options["queries"]:
                write(results, run(spark, query, options["timeout_seconds"]))
            write(results, {"allocated_core_seconds": allocated_core_seconds(spark)})
    spark.stop()


def analyze(spark, directory, tables):
    """What gathering statistics of all columns took, table by table; making the tables is not counted."""
    for name in tables:
        location = os.path.join(directory, name).replace("'", "\\'")
        spark.sql("DROP TABLE IF EXISTS `%s`" % name)
        spark.sql("CREATE TABLE `%s` USING parquet LOCATION '%s'" % (name, location))
        if any(column.isPartition for column in spark.catalog.listColumns("`%s`" % name)):
            # Of a table with partitions the catalog knows none by itself, and reads none.
            spark.sql("MSCK REPAIR TABLE `%s`" % name)
        started = time.monotonic()
        spark.sql("ANALYZE TABLE `%s` COMPUTE STATISTICS FOR ALL COLUMNS" % name)
        yield {"name": "analyze %s" % name, "seconds": time.monotonic() - started}


def allocated_core_seconds(spark):
    """Cores times seconds that executors were held so far, busy or idle; None where this Spark does not tell, or forgets those
    that are gone (spark.ui.retainedDeadExecutors)."""
    try:
        executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
        found = [executors.apply(n) for n in range(executors.size())]
        now, total = time.time() * 1000, 0.0
        for one in found:
            end = one.removeTime().get().getTime() if one.removeTime().isDefined() else now
            total += one.totalCores() * max(0, end - one.addTime().getTime()) / 1000
        gone = sum(one.removeTime().isDefined() for one in found)
        return total if gone < int(spark.conf.get("spark.ui.retainedDeadExecutors", "100")) else None
    except Exception:
        return None


def warm_up(spark, tables):
    """So that the first query does not bear what any first query bears: Spark's start, a catalog's, first looks at tables."""
    spark.range(100000).selectExpr("id % 100 AS k", "id").createOrReplaceTempView("bench_warm_up")
    spark.sql("SELECT a.k, sum(b.id) FROM bench_warm_up a JOIN bench_warm_up b ON a.id = b.id GROUP BY a.k").collect()
    spark.catalog.dropTempView("bench_warm_up")
    for name in tables:
        try:
            # Not as a query: the tuner would take each for one of the job's.
            spark.table("`%s`" % name)._jdf.javaRDD().take(1)
        except Exception as error:
            # A table that cannot be read fails the queries that read it, and no other.
            print("warm-up of %s: %s" % (name, words(error)), file=sys.stderr)


def cpu_seconds(spark):
    """Seconds of processors that this application has had so far, which other programs on the machine make no longer; None where
    its tasks run elsewhere, or the system does not tell. spark-submit's Java is this program's parent."""
    if not spark.sparkContext.master.startswith("local") or spark.sparkContext.master.startswith("local-cluster"):
        return None
    try:
        with open("/proc/%d/stat" % os.getppid(), encoding="utf-8") as file:
            name, _, fields = file.read().rpartition(")")
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") if "(java" in name else None
    except (OSError, ValueError):
        return None


def command_of(spark, text):
    """The name of a command in a statement, by which it may write somewhere; None of a query."""
    plans = [spark._jsparkSession.sessionState().sqlParser().parsePlan(text)]
    while plans:
        plan = plans.pop()
        name, gateway = plan.getClass().getSimpleName(), spark.sparkContext._gateway
        if name in ALSO_COMMANDS or any(is_instance_of(gateway, plan, command) for command in COMMANDS):
            return None if name in HARMLESS else name
        # Inserts stand below a WITH, and beside one another below a FROM.
        children = plan.children()
        plans += [children.apply(n) for n in range(children.size())]
    return None


def refusal(spark, text):
    """Why a statement is not run; "" of a query."""
    try:
        command = command_of(spark, text)
    except Exception as error:
        # What cannot be parsed, as Spark tells it.
        return words(error)
    return NOT_RUN % command if command else ""


def run(spark, query, timeout_seconds):
    """What a query took, from its text to its rows, and a digest of these."""
    if refused := refusal(spark, query["sql"]):
        return {"name": query["name"], "seconds": 0.0, "cpu_seconds": 0.0, "error": refused}
    for key, value in query["conf"].items():
        spark.conf.set(key, value)
    spark.sparkContext.setJobDescription(query["name"])
    used, started = cpu_seconds(spark), time.monotonic()
    late, end_watch = watch(spark, timeout_seconds)
    failed = ""
    try:
        rows = spark.sql(query["sql"]).collect()
    except Exception as error:
        failed = words(error)
    finally:
        # The digest, which takes a while of many rows, is the bench's own.
        seconds = time.monotonic() - started
        now = None if used is None else cpu_seconds(spark)
        end_watch()
    if late.is_set():
        failed = "ran longer than %g s" % timeout_seconds
    set_back(spark, query["conf"])
    found = {"error": failed} if failed else {"rows": len(rows), "digest": digest(rows)}
    return {"name": query["name"], "seconds": seconds, "cpu_seconds": None if now is None else now - used, **found}


def watch(spark, timeout_seconds):
    """What is set once a query is late, and what ends the watch. Its jobs are cancelled over and over: a late query may start
    others, or be planned still."""
    late, done = threading.Event(), threading.Event()

    def cancel():
        if done.wait(timeout_seconds):
            return
        late.set()
        while not done.is_set():
            try:
                spark.sparkContext.cancelAllJobs()
            except Exception:
                return
            done.wait(CANCEL_AGAIN_SECONDS)

    def end():
        done.set()
        # Or it cancels the next query's jobs.
        watcher.join()

    watcher = threading.Thread(target=cancel)
    watcher.daemon = True
    watcher.start()
    return late, end


def set_back(spark, conf):
    """As the application was given it: to unset a setting would take the user's own away, too."""
    given = dict(spark.sparkContext.getConf().getAll()) if conf else {}
    for key in conf:
        if key in given:
            spark.conf.set(key, given[key])
        else:
            spark.conf.unset(key)


def digest(rows):
    """The same for the same rows in any order."""
    return hashlib.sha256("\n".join(sorted(map(cell, rows))).encode("utf-8")).hexdigest()[:16]


def cell(value):
    """A value with its type, and so all that is inside of it: what differs is written otherwise, but for doubles' last digits."""
    if isinstance(value, float):
        # Zero has two signs, of which sums have either.
        return "float %.*g" % (DOUBLE_DIGITS, value or 0.0)
    if isinstance(value, dict):
        return "{%s}" % ",".join(sorted("%s:%s" % (cell(key), cell(of)) for key, of in value.items()))
    if isinstance(value, (list, tuple)):
        return ("(%s)" if isinstance(value, tuple) else "[%s]") % ",".join(map(cell, value))
    text = value.hex() if isinstance(value, (bytes, bytearray)) else str(value)
    return "%s %s" % (type(value).__name__, json.dumps(text))


def words(error):
    """What failed: of what Java threw the innermost cause, for what is around it says that there was one."""
    thrown = getattr(error, "java_exception", None)
    said = str(error)
    for _ in range(MOST_CAUSES):
        if thrown is None:
            break
        said, thrown = thrown.toString(), thrown.getCause()
    first = said.strip().split("\n", 1)[0]
    return (first or type(error).__name__)[:500]


def write(file, line):
    file.write(json.dumps(line) + "\n")
    file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
