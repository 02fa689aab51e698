"""A broadcast of a join's result, before and after its keys are skewed, of what a filter keeps of a day whose value was said not
to matter, of what it keeps once a rare flag is set in all rows, and of a table whose statistics are from when it was small:
`measured_first_app.py DIRECTORY REPORT`.

The report has for each run whether its rows are those of the same run without directives.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from py4j.java_gateway import JavaObject
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import HintDirective, QueryDirectives, encode_message
from tuner.model.query import Query
from tuner.plan.literals import literal_class
from tuner.plan.queries import queries

TEXT = (
    "SELECT count(*), sum(v_id), max(note) FROM (SELECT s_id, note FROM sales JOIN returns ON s_ticket = r_ticket) "
    "JOIN visits ON v_sale = s_id"
)
# Three relations of a few rows, each with a page of its own, are broadcast before the result is.
BESIDE_OTHERS = (
    "SELECT count(*), sum(v_id), max(note) FROM (SELECT s_id, note FROM sales JOIN returns ON s_ticket = r_ticket) JOIN "
    "(SELECT v_id, v_sale FROM visits JOIN a ON v_id % 7 = a JOIN b ON v_id % 5 = b JOIN c ON v_id % 3 = c) ON v_sale = s_id"
)
# Partitions of the other side that a relation beside it prunes, which is none of what is counted.
BESIDE_PRUNED = (
    "SELECT count(*), sum(v_id), max(note) FROM (SELECT s_id, note FROM sales JOIN returns ON s_ticket = r_ticket) JOIN "
    "(SELECT v_id, v_sale FROM visits_by_day JOIN a ON v_day = a WHERE a < 5) ON v_sale = s_id"
)
# What the join below brought together by another key, and by the very one, each called otherwise above it.
RENAMED = (
    "SELECT count(*), sum(v_id), max(note) FROM (SELECT {key} AS sale, note FROM sales JOIN returns ON s_ticket = r_ticket) "
    "JOIN visits ON v_sale = sale"
)
# Nine in ten rows have one key, of which only two other rows are.
HOT = RENAMED.format(key="if(s_id < 900, 0, s_id)")
# The same, with a join above that one which leaves the rows where they are.
FURTHER_DOWN = (
    "SELECT count(*), sum(v_id), max(note) FROM (SELECT s_ticket AS sale, note FROM sales JOIN returns ON s_ticket = r_ticket "
    "JOIN a ON s_id % 7 = a) JOIN visits ON v_sale = sale"
)
# A sort merge join has them sorted by the one below, and asks for no more once those of `a` have ended: the last ticket fails.
UNREAD = (
    "SELECT max(rate) FROM (SELECT s_ticket, 10 / (999 - r_ticket) AS rate FROM sales JOIN returns ON s_ticket = r_ticket) "
    "JOIN a ON s_ticket = a"
)
OF_A_DAY = "SELECT count(*), sum(v_id), max(note) FROM visits JOIN days ON v_sale = d_sale WHERE d_day = {day}"
FLAGGED = "SELECT count(*), sum(v_id), max(note) FROM visits JOIN flags ON v_sale = f_sale WHERE f_flag = 1"
# Eight broadcasts, of which each has room and all have not; each arm is done with its own before the query ends.
ARM = (
    "SELECT count(*) AS n, sum(v_id) AS v, max(note) AS note FROM visits JOIN "
    "(SELECT arm_sale, note FROM arms JOIN a ON arm_sale % 10 = a WHERE arm = {arm}) ON v_sale = arm_sale"
)
ARMS = " UNION ALL ".join(ARM.format(arm=arm) for arm in range(8)) + " ORDER BY 1, 2, 3"
# Of one side as it is: as many rows in files of about the same size, of many keys or of one.
KEYED = "SELECT count(*), sum(v_id), max(note) FROM visits JOIN keyed ON v_sale = k_sale"
BESIDE_FEW = "SELECT count(*), max(note) FROM a JOIN keyed ON a = k_sale"
ANALYSED = "SELECT count(*), sum(v_id), max(note) FROM visits JOIN analysed ON v_sale = l_sale"
FLAGS = 750_000

directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()


def write(tickets: str) -> None:
    numbers = spark.range(0, 1000, 1, 2)
    numbers.selectExpr("id AS s_id", f"{tickets} AS s_ticket").write.mode("overwrite").parquet(f"{directory}/sales")
    numbers.selectExpr(f"{tickets} AS r_ticket", "concat('n', id) AS note").write.mode("overwrite").parquet(
        f"{directory}/returns"
    )


def read_views(session: SparkSession) -> None:
    for name in ("sales", "returns", "visits", "visits_by_day", "a", "b", "c", "days", "arms", "keyed", "flags"):
        if (directory / name).exists():
            session.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)


def asked(label: str, directives: str, sql: str, **conf: str) -> DataFrame:
    session = spark.newSession()
    session.conf.set("spark.tuner.directives", directives)
    for name, value in conf.items():
        session.conf.set(name.replace("_", "."), value)
    read_views(session)
    session.sparkContext.setJobDescription(label)
    return session.sql(sql)


def rows(label: str, directives: str, sql: str = TEXT, **conf: str) -> list:
    return [tuple(row) for row in asked(label, directives, sql, **conf).collect()]


def rows_of_driver(most: str, label: str, directives: str) -> list:
    """In a driver that takes no more of the results of a job's tasks than so much."""
    conf, name = spark.sparkContext._jsc.sc().conf(), "spark.driver.maxResultSize"
    conf.set(name, most)
    try:
        return rows(label, directives)
    finally:
        conf.remove(name)


def rows_of_skewed(label: str, directives: str) -> list:
    """Of a query with a hot key; none where Spark does not split its partition."""
    of_any_size = {"Factor": "1", "ThresholdInBytes": "1"}
    conf = {f"spark_sql_adaptive_skewJoin_skewedPartition{name}": value for name, value in of_any_size.items()}
    frame = asked(label, directives, HOT, spark_sql_adaptive_advisoryPartitionSizeInBytes="1000", **conf)
    found = [tuple(row) for row in frame.collect()]
    join = next(
        line
        for line in frame._jdf.queryExecution().executedPlan().toString().splitlines()
        if "v_sale" in line and "MergeJoin" in line
    )
    return found if "skew=true" in join else []


def beside_a_thread_without_the_agent(directives: str) -> tuple[list, list]:
    """Rows without directives, of a thread that finds only Spark's own classes (ForkJoinPool's are such), and with them, of one
    that plans its query in the same session once that of the other is optimised and before it runs."""
    session = spark.newSession()
    read_views(session)
    optimised, planned = Event(), Event()

    def plain() -> list:
        jvm = spark._jvm
        jvm.java.lang.Thread.currentThread().setContextClassLoader(jvm.java.lang.ClassLoader.getSystemClassLoader())
        try:
            session.sparkContext.setJobDescription("plain in a thread without the agent")
            frame = session.sql(TEXT)
            frame._jdf.queryExecution().optimizedPlan()
        finally:
            optimised.set()
        planned.wait()
        return [tuple(row) for row in frame.collect()]

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(plain)
        optimised.wait()
        session.conf.set("spark.tuner.directives", directives)
        session.sparkContext.setJobDescription("beside a thread without the agent")
        try:
            found = [tuple(row) for row in session.sql(TEXT).collect()]
        finally:
            planned.set()
        return other.result(), found


def planned_in_a_thread_without_the_agent(directives: str) -> list:
    session = spark.newSession()
    read_views(session)
    session.conf.set("spark.tuner.directives", directives)
    frame = session.sql(TEXT)
    frame._jdf.queryExecution().optimizedPlan()

    def collected() -> list:
        jvm = spark._jvm
        jvm.java.lang.Thread.currentThread().setContextClassLoader(jvm.java.lang.ClassLoader.getSystemClassLoader())
        session.sparkContext.setJobDescription("planned in a thread without the agent")
        return [tuple(row) for row in frame.collect()]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(collected).result()


def names_kept_of_a_plan_that_failed() -> int:
    """Of a query with directives that Spark refuses once the agent has ordered its joins, and before it hints them."""
    session = spark.newSession()
    read_views(session)
    session.conf.set("spark.sql.crossJoin.enabled", "false")
    read = harvested("plain beside others").relations
    relations = tuple(relation for relation in read if relation.endswith(("/a", "/b")))
    session.conf.set("spark.tuner.directives", encode_message((QueryDirectives("failed", relations),)))
    try:
        session.sql("SELECT * FROM a, b")._jdf.queryExecution().optimizedPlan()
    except AnalysisException:
        return kept_by_the_pass("names", "leaves").size()
    raise AssertionError("it did not fail")


def kept_by_the_pass(name: str, field: str) -> JavaObject:
    """A field of what the agent's pass over this thread's last plan keeps under a name."""
    jvm = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    of_pass = jvm.java.lang.Class.forName("tuner.steering.agent.Pass", True, loader)
    current = of_pass.getDeclaredField("CURRENT")
    current.setAccessible(True)
    kept = of_pass.getField(name).get(current.get(None).get())
    found = kept.getClass().getDeclaredField(field)
    found.setAccessible(True)
    return found.get(kept)


def where_counting_fails(directives: str) -> list:
    """Rows of a query whose broadcasts the agent cannot add up once it runs: among them is one that is not there."""
    frame = asked("where counting fails", directives, TEXT)
    frame._jdf.queryExecution().optimizedPlan()
    kept_by_the_pass("budget", "grants").add(None)
    return [tuple(row) for row in frame.collect()]


def harvested(label: str) -> Query:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    (source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:")))
    (found,) = (query for query in queries(read_application(source)) if query.description == label)
    return found


def broadcasting(id_: str, label: str, relation: str = "", *, number: int = 2) -> str:
    """Of the query that ran under a label, directives for the first side of so many relations, one of them this."""
    first = harvested(label)
    (join, side) = next(
        (j, s) for j in first.joins for s in j.sides if len(s.relations) == number and relation in str(s.relations)
    )
    hint = HintDirective(
        id_, join.signature, "BROADCAST", side.relations, literals=(literal_class(first.conditions or ()),)
    )
    return encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))


spark.range(0, 2000, 1, 2).selectExpr("id AS v_id", "id % 1000 AS v_sale").write.parquet(f"{directory}/visits")
spark.range(0, 2000, 1, 2).selectExpr("id AS v_id", "id % 1000 AS v_sale", "id % 10 AS v_day").write.partitionBy(
    "v_day"
).parquet(f"{directory}/visits_by_day")
spark.range(0, 375_000, 1, 2).selectExpr(
    "id % 1000 AS d_sale", "if(id < 100, 1, 2) AS d_day", "concat('a note of ', id) AS note"
).write.parquet(f"{directory}/days")
for name in "abc":
    spark.range(10).selectExpr(f"id AS {name}").write.parquet(f"{directory}/{name}")
write("id")
plain = rows("plain", "")
first = harvested("plain")
(join, side) = next((join, side) for join in first.joins for side in join.sides if len(side.relations) == 2)
text, of_tasks = (
    encode_message(
        (
            QueryDirectives(
                first.fingerprint,
                first.relations,
                hints=(
                    HintDirective(
                        "hint_join:b",
                        join.signature,
                        hint,
                        side.relations,
                        literals=(literal_class(first.conditions or ()),),
                    ),
                ),
            ),
        )
    )
    for hint in ("BROADCAST", "SHUFFLE_HASH")
)
same = {
    "small": rows("small", text) == plain,
    "small, hashed by tasks": rows("small, hashed by tasks", of_tasks) == plain,
    "not adaptive": rows("not adaptive", text, spark_sql_adaptive_enabled="false") == plain,
}
# There is room for it in the heap, but it is more than the directive lets it have.
of_limit = HintDirective(
    "hint_join:l",
    join.signature,
    "BROADCAST",
    side.relations,
    literals=(literal_class(first.conditions or ()),),
    most_counted=1000,
)
limited = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(of_limit,)),))
same["small, of too many bytes"] = rows("small, of too many bytes", limited) == plain
# Of relations as large as this, their last page whole, Spark makes a query fail.
largest = {"spark_sql_maxBroadcastTableSize": "64m"}
same["small, of too many bytes for Spark"] = rows("small, of too many bytes for Spark", text, **largest) == plain
# By itself the driver would take it: what is sent there is smaller than the relation that is made of it.
same["small, of too many bytes for results"] = (
    rows_of_driver("64k", "small, of too many bytes for results", text) == plain
)
own_costs = {"spark_sql_adaptive_customCostEvaluatorClass": "tests.steering.OwnCosts"}
compared = asked("small, by costs of the job's own", text, TEXT, **own_costs)
same["small, by costs of the job's own"] = [tuple(row) for row in compared.collect()] == plain
same["costs of the job's own are kept"] = (
    compared.sparkSession.conf.get("spark.sql.adaptive.customCostEvaluatorClass") == "tests.steering.OwnCosts"
)
without, found = beside_a_thread_without_the_agent(text)
same["beside a thread without the agent"] = without == found == plain
same["planned in a thread without the agent"] = planned_in_a_thread_without_the_agent(text) == plain
small_broadcasts = {"spark_sql_autoBroadcastJoinThreshold": "2000"}
beside = rows("plain beside others", "", BESIDE_OTHERS, **small_broadcasts)
of_others = broadcasting("hint_join:o", "plain beside others", "sales")
same["beside others"] = rows("beside others", of_others, BESIDE_OTHERS, **small_broadcasts) == beside
same["nothing kept of a plan that failed"] = names_kept_of_a_plan_that_failed() == 0
pruned = rows("plain beside pruned", "", BESIDE_PRUNED)
of_pruned = broadcasting("hint_join:p", "plain beside pruned", "sales")
same["beside pruned"] = rows("beside pruned", of_pruned, BESIDE_PRUNED) == pruned
for key in ("s_id", "s_ticket"):
    plain = rows(f"plain renamed {key}", "", RENAMED.format(key=key))
    of_renamed = broadcasting("hint_join:r", f"plain renamed {key}")
    same[f"renamed {key}"] = rows(f"renamed {key}", of_renamed, RENAMED.format(key=key)) == plain
plain = rows("plain further down", "", FURTHER_DOWN, **small_broadcasts)
of_further = broadcasting("hint_join:r", "plain further down", number=3)
same["further down"] = rows("further down", of_further, FURTHER_DOWN, **small_broadcasts) == plain
taken_for_large = {"spark_sql_sources_fileCompressionFactor": "1000000"}
plain = rows("plain unread", "", UNREAD, **taken_for_large)
same["unread"] = rows("unread", broadcasting("hint_join:u", "plain unread"), UNREAD, **taken_for_large) == plain
# The same number of rows in files of about the same size: each ticket meets 500 others.
write("id % 4")
skewed = rows("plain and skewed", "")
same["skewed"] = rows("skewed", text) == skewed
same["where counting fails"] = where_counting_fails(text) == skewed
hot = rows_of_skewed("plain hot", "")
same["hot"] = len(hot) == 1 and rows_of_skewed("hot", broadcasting("hint_join:h", "plain hot")) == hot
by_tickets = RENAMED.format(key="s_ticket")
skewed = rows("plain and skewed tickets", "", by_tickets)
same["skewed tickets"] = rows("skewed tickets", of_renamed, by_tickets) == skewed
skewed = rows("plain and skewed further down", "", FURTHER_DOWN, **small_broadcasts)
same["skewed further down"] = rows("skewed further down", of_further, FURTHER_DOWN, **small_broadcasts) == skewed

days = [OF_A_DAY.format(day=day) for day in (1, 2)]
of_days = [rows(f"plain day {day}", "", sql) for day, sql in enumerate(days, 1)]
first = harvested("plain day 1")
((join, side),) = ((join, side) for join in first.joins for side in join.sides if "days" in side.relations[0])
day_column = tuple(c.columns for c in first.conditions or () if c.columns.endswith(".d_day"))
for value in ("BROADCAST", "SHUFFLE_HASH"):
    hint = HintDirective(
        "hint_join:d",
        join.signature,
        value,
        side.relations,
        literals=(literal_class(first.conditions or (), day_column),),
        neutral=day_column,
    )
    text = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
    for day, sql in enumerate(days, 1):
        same[f"day {day} {value}"] = rows(f"day {day} {value}", text, sql) == of_days[day - 1]
for label, cap_bytes in {"day 1 in a heap as it was": 1, "day 1 in a smaller heap": 1 << 50}.items():
    hint = HintDirective(
        "hint_join:d",
        join.signature,
        "BROADCAST",
        side.relations,
        most_bytes=1 << 40,
        cap_bytes=cap_bytes,
        literals=(literal_class(first.conditions or ()),),
    )
    text = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
    same[label] = rows(label, text, days[0]) == of_days[0]

spark.range(0, 8 * 65_000, 1, 2).selectExpr(
    "id AS arm_id", "id % 65000 AS arm_sale", "id DIV 65000 AS arm", "concat('a note of ', id) AS note"
).write.parquet(f"{directory}/arms")
plain = rows("plain arms", "", ARMS)
first = harvested("plain arms")
(join, side) = next((join, side) for join in first.joins for side in join.sides if len(side.relations) == 2)
hint = HintDirective(
    "hint_join:a", join.signature, "BROADCAST", side.relations, literals=(literal_class(first.conditions or ()),)
)
text = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
same["arms"] = rows("arms", text, ARMS) == plain


def write_keyed(key: str) -> None:
    spark.range(0, 120_000, 1, 2).selectExpr(f"{key} AS k_sale", "concat('a note of ', id) AS note").write.mode(
        "overwrite"
    ).parquet(f"{directory}/keyed")


# Adaptive execution puts partitions together that are smaller.
small_partitions = {"spark_sql_adaptive_advisoryPartitionSizeInBytes": "100000"}
many_partitions = {"spark_sql_shuffle_partitions": "2001"}
write_keyed("id % 1000")
plain = rows("plain keyed", "", KEYED, **small_partitions)
first = harvested("plain keyed")
((join, side),) = ((join, side) for join in first.joins for side in join.sides if "keyed" in side.relations[0])
hint = HintDirective(
    "hint_join:k", join.signature, "SHUFFLE_HASH", side.relations, literals=(literal_class(first.conditions or ()),)
)
text = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
same["keyed by many"] = rows("keyed by many", text, KEYED, **small_partitions) == plain
not_adaptive = {"spark_sql_adaptive_enabled": "false"}
same["keyed by many, not adaptive"] = rows("keyed by many, not adaptive", text, KEYED, **not_adaptive) == plain
# A join that was shuffled, once Spark broadcasts one of its sides by itself: `a` has some rows, `keyed` over a megabyte.
plain = rows("plain keyed beside few", "", BESIDE_FEW)
first = harvested("plain keyed beside few")
((join, side),) = ((join, side) for join in first.joins for side in join.sides if "keyed" in side.relations[0])
for value, threshold in (("BROADCAST", "20000"), ("SHUFFLE_HASH", "20000"), ("BROADCAST", "100m")):
    hint = HintDirective(
        "hint_join:k",
        join.signature,
        value,
        side.relations,
        literals=(literal_class(first.conditions or ()),),
        shuffled=True,
    )
    of_few = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
    name = f"keyed beside few {value} {threshold}"
    same[name] = rows(name, of_few, BESIDE_FEW, spark_sql_autoBroadcastJoinThreshold=threshold) == plain
write_keyed("5")
plain = rows("plain keyed by one", "", KEYED, **small_partitions)
same["keyed by one"] = rows("keyed by one", text, KEYED, **small_partitions) == plain
# A hot key beside others: of so many partitions the driver keeps a mean size.
write_keyed("if(id % 20 > 0, 5, id)")
plain = rows("plain keyed by one of many", "", KEYED, **small_partitions)
same["keyed by one of many"] = rows("keyed by one of many", text, KEYED, **small_partitions, **many_partitions) == plain


def write_flags(rare: int) -> None:
    """As many rows in files of about the same size, of which more or fewer have a flag."""
    spark.range(0, FLAGS, 1, 2).selectExpr(
        "id % 1000 AS f_sale", f"if(id < {rare}, 1, 2) AS f_flag", "concat('a note of ', id) AS note"
    ).write.mode("overwrite").parquet(f"{directory}/flags")


write_flags(100)
plain = rows("plain flag", "", FLAGGED)
first = harvested("plain flag")
((join, side),) = ((join, side) for join in first.joins for side in join.sides if "flags" in side.relations[0])
of_flags = {}
for value in ("BROADCAST", "SHUFFLE_HASH"):
    hint = HintDirective(
        "hint_join:f", join.signature, value, side.relations, literals=(literal_class(first.conditions or ()),)
    )
    of_flags[value] = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
    same[f"flag is rare {value}"] = rows(f"flag is rare {value}", of_flags[value], FLAGGED) == plain
write_flags(FLAGS)
plain = rows("plain flag everywhere", "", FLAGGED)
for value, text in of_flags.items():
    same[f"flag is everywhere {value}"] = rows(f"flag is everywhere {value}", text, FLAGGED) == plain


def write_analysed(rows: int) -> None:
    spark.range(0, rows, 1, 2).selectExpr(
        "id % 1000 AS l_sale", "id AS l_id", "concat('a note of ', id) AS note"
    ).write.mode("overwrite").parquet(f"{directory}/analysed")


write_analysed(1000)
spark.sql(f"CREATE TABLE analysed USING parquet LOCATION '{directory}/analysed'")
spark.sql("ANALYZE TABLE analysed COMPUTE STATISTICS")
plain = rows("plain table", "", ANALYSED)
first = harvested("plain table")
((join, side),) = ((join, side) for join in first.joins for side in join.sides if "analysed" in side.relations[0])
hint = HintDirective(
    "hint_join:t", join.signature, "BROADCAST", side.relations, literals=(literal_class(first.conditions or ()),)
)
text = encode_message((QueryDirectives(first.fingerprint, first.relations, hints=(hint,)),))
same["table as analysed"] = rows("table as analysed", text, ANALYSED) == plain
# By another program, which knows nothing of the table.
write_analysed(FLAGS)
plain = rows("plain table that was loaded since", "", ANALYSED)
same["table loaded since"] = rows("table loaded since", text, ANALYSED) == plain
report.write_text(json.dumps(same))
spark.stop()
