"""Rows that programs take as they lie, of joins that are hinted: `rows_as_they_lie_app.py REPORT [PROGRAM ...]`; all by default.

Each program runs as written, then with directives for the joins of its statement, which runs first. The report has for each
whether its rows are the same.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import pandas_udf, udf, udtf

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import HintDirective, QueryDirectives, encode_message
from tuner.plan.literals import literal_class
from tuner.plan.queries import queries

# Items are broadcast by themselves. Files are not, which have a row of every id each, for they are taken for large.
ITEMS = "(SELECT id % 90 AS i_item, id AS i_name FROM range(0, 180, 1, 2))"
OF_ITEMS = f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_item = i_item"
OF_HALVES = "SELECT s_id, h_note FROM sales JOIN halves ON s_id = h_id"
# Rows in an order of their own, which a join that broadcasts keeps, and a shuffle takes from them.
THIRDS = "(SELECT s_id, s_item, s_id % 3 AS g FROM sales)"
NUMBERED = f"(SELECT *, row_number() OVER (PARTITION BY g ORDER BY s_id DESC) AS r FROM {THIRDS})"
FIRST_ROWS = "(SELECT s_id, s_item, s_id % 3 AS g, s_id AS r FROM sales ORDER BY s_id DESC LIMIT 700000)"
LISTS = (
    f"SELECT {{by}}, collect_list({{of}}), max(r), max(g) FROM {{rows}} JOIN {ITEMS} ON s_item = i_item GROUP BY {{by}}"
)
RENAMED = f"(SELECT g AS h, r, g, i_name FROM {NUMBERED} JOIN {ITEMS} ON s_item = i_item)"
OF_EACH = "concat(r, ' ', i_name)"
# Both sides are shuffled, each by its tasks on this machine.
OF_PRICES = "SELECT {what} FROM sales JOIN prices ON s_item = p_item"
OF_NOTES = "SELECT s_item, first(p_note), collect_list(p_note) FROM {of}sales JOIN {of}prices ON s_item = p_item GROUP BY s_item"
OF_TOLD = "SELECT a.v, collect_list(b.id) FROM rows.{of}sales AS a JOIN rows.{of}prices AS b ON a.v = b.v GROUP BY a.v"
# What lies together by the key of a join is one session, wherever its rows are shuffled.
OF_SESSIONS = OF_PRICES.format(what="s_item, p_note")
# Of two joins the lower one is hinted: a shuffle by another key lies between it and the sessions, or none does.
BELOW_OTHER_KEY = "SELECT s_item, p_note FROM sales JOIN halves ON s_id = h_id JOIN prices ON s_item = p_item"
BELOW_SAME_KEY = f"{OF_SESSIONS} JOIN halves ON s_item = h_id"
SUMS = (
    "SELECT s_item % 7 AS g, sum(cast(p_item AS double)), avg(s_id), max(cast(s_id AS float)) FROM "
    f"({OF_PRICES.replace('SELECT', 'SELECT {{of}}').format(what='s_item, s_id, p_item')}) GROUP BY 1"
)


@udtf(returnType="n int, id bigint", useArrow=False)
class Numbered:
    """Numbers the rows that it is given."""

    def __init__(self) -> None:
        self.n = 0

    def eval(self, row: Any) -> Any:
        self.n += 1
        yield self.n, row[0]


def as_it_is(frame: DataFrame) -> list[Any]:
    return frame.collect()


def of_a_cache(frame: DataFrame) -> list[Any]:
    cached = frame.cache()
    try:
        return [*cached.limit(5).collect(), *cached.filter("s_id > 500").limit(5).collect()]
    finally:
        cached.unpersist(blocking=True)


def of_a_checkpoint(frame: DataFrame) -> list[Any]:
    kept = frame.localCheckpoint()
    return [*kept.limit(5).collect(), *kept.filter("s_id > 500").limit(5).collect()]


def numbered_by_pandas(frame: DataFrame) -> list[Any]:
    return frame.pandas_api().to_spark(index_col="place").collect()


def numbered_by_a_process(frame: DataFrame) -> list[Any]:
    frame.createOrReplaceTempView("frame")
    return frame.sparkSession.sql("SELECT TRANSFORM (*) USING 'cat -n' FROM frame").collect()


def numbered_by_a_function(frame: DataFrame) -> list[Any]:
    session = frame.sparkSession
    session.udtf.register("numbered", Numbered.asDeterministic())
    frame.createOrReplaceTempView("frame")
    return session.sql("SELECT * FROM numbered(TABLE(SELECT * FROM frame))").collect()


def told_by_a_function(frame: DataFrame) -> list[Any]:
    return frame.select(udf(lambda note: f"told {note}", "string")("h_note")).collect()


def told_by_arrow(frame: DataFrame) -> list[Any]:
    return frame.select(udf(lambda note: f"told {note}", "string", useArrow=True)("h_note")).collect()


def numbered_by_a_function_of_pandas(frame: DataFrame) -> list[Any]:
    return frame.select("s_id", pandas_udf(lambda notes: notes.index.to_series(), "long")("h_note")).collect()


def sessions_by_pandas(frame: DataFrame) -> list[Any]:
    def found(batches: Iterator[Any]) -> Iterator[Any]:
        last = -1
        for batch in batches:
            items = batch["s_item"]
            yield batch.loc[items != items.shift(fill_value=last), ["s_item"]]
            last = items.iloc[-1]

    return frame.sortWithinPartitions("s_item", "p_note").mapInPandas(found, "s_item long").collect()


def sessions_by_arrow(frame: DataFrame) -> list[Any]:
    def found(batches: Iterator[Any]) -> Iterator[Any]:
        last = -1
        for batch in batches:
            items = batch.column("s_item").to_pylist()
            before = [last, *items[:-1]]
            yield batch.select(["s_item"]).filter([one != other for one, other in zip(items, before, strict=True)])
            last = items[-1]

    return frame.sortWithinPartitions("s_item", "p_note").mapInArrow(found, "s_item long").collect()


def sessions_of_a_dataset(frame: DataFrame) -> list[Any]:
    sessions = spark._jvm.tests.steering.Sessions.of(frame.sortWithinPartitions("s_item", "p_note")._jdf)  # type: ignore[union-attr]
    return DataFrame(sessions.toDF(), frame.sparkSession).collect()


PROGRAMS: dict[str, tuple[str, str, Callable[[DataFrame], list[Any]]]] = {
    "a list of a window's rows": (LISTS.format(by="g", of=OF_EACH, rows=NUMBERED), "MERGE", as_it_is),
    "a list by a column that is renamed": (
        f"SELECT h, collect_list({OF_EACH}), max(r + g) FROM {RENAMED} GROUP BY h",
        "MERGE",
        as_it_is,
    ),
    "a list of the first rows": (LISTS.format(by="g", of=OF_EACH, rows=FIRST_ROWS), "MERGE", as_it_is),
    "a list by other columns": (LISTS.format(by="s_id % 5", of="s_id % 5", rows=NUMBERED), "MERGE", as_it_is),
    "a list of shuffled rows": (OF_NOTES.format(of=""), "BROADCAST", as_it_is),
    "a list of shuffled rows of single files": (OF_NOTES.format(of="single_"), "BROADCAST", as_it_is),
    "a list of shuffled rows of the second API": (OF_NOTES.format(of="global_temp."), "BROADCAST", as_it_is),
    "a list of shuffled rows of single files of the second API": (
        OF_NOTES.format(of="global_temp.single_"),
        "BROADCAST",
        as_it_is,
    ),
    "a list of shuffled rows of tables that tell their tasks": (OF_TOLD.format(of=""), "BROADCAST", as_it_is),
    "a list of shuffled rows of single files of tables that tell their tasks": (
        OF_TOLD.format(of="single_"),
        "BROADCAST",
        as_it_is,
    ),
    # Items come from two tasks, and are broadcast.
    "a list of shuffled rows of single files beside others": (
        f"SELECT s_item, first(p_note), collect_list(concat(p_note, i_name)) FROM single_sales JOIN single_prices "
        f"ON s_item = p_item JOIN {ITEMS} ON s_item = i_item GROUP BY s_item",
        "MERGE",
        as_it_is,
    ),
    # Of each table one partition is read, which is too large to be broadcast.
    "a list of shuffled rows of a day": (
        "SELECT s_item % 7, first(p_note), collect_list(p_note) FROM dated_sales JOIN dated_prices ON s_item = p_item "
        "WHERE s_day = 1 AND p_day = 1 GROUP BY 1",
        "MERGE",
        as_it_is,
    ),
    "a list of shuffled groups": (
        "SELECT s_item % 7, collect_list(p_note) FROM (SELECT s_item, p_note, count(*) FROM "
        f"({OF_PRICES.format(what='s_item, p_note')}) GROUP BY s_item, p_note) GROUP BY 1",
        "BROADCAST",
        as_it_is,
    ),
    # What is below one partition is shuffled to it, what is above is not.
    "a sum into one file": (f"SELECT /*+ COALESCE(1) */ * FROM ({SUMS.format(of='')})", "BROADCAST", as_it_is),
    "a sum of one partition": (SUMS.format(of="/*+ COALESCE(1) */ "), "BROADCAST", as_it_is),
    "of a cache": (OF_ITEMS, "MERGE", of_a_cache),
    "of a checkpoint": (OF_ITEMS, "MERGE", of_a_checkpoint),
    "numbered by pandas": (OF_HALVES, "BROADCAST", numbered_by_pandas),
    "numbered by a process": (OF_HALVES, "BROADCAST", numbered_by_a_process),
    "numbered by a function": (OF_HALVES, "BROADCAST", numbered_by_a_function),
    "numbered by a function of pandas": (OF_HALVES, "BROADCAST", numbered_by_a_function_of_pandas),
    "told by a function": (OF_HALVES, "BROADCAST", told_by_a_function),
    "told by arrow": (OF_HALVES, "BROADCAST", told_by_arrow),
    "sessions by pandas": (OF_SESSIONS, "BROADCAST", sessions_by_pandas),
    "sessions by arrow": (OF_SESSIONS, "BROADCAST", sessions_by_arrow),
    "sessions above another key": (BELOW_OTHER_KEY, "BROADCAST", sessions_by_pandas),
    "sessions above the same key": (BELOW_SAME_KEY, "BROADCAST", sessions_by_pandas),
    "sessions of a dataset": (OF_SESSIONS, "BROADCAST", sessions_of_a_dataset),
}
spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE TABLE sales USING parquet AS SELECT id AS s_id, id * 7 % 90 AS s_item FROM range(0, 1000, 1, 2)")
spark.sql(
    "CREATE TABLE halves USING parquet AS SELECT id AS h_id, concat('half ', id) AS h_note FROM range(0, 1000, 1, 2)"
)
spark.sql(
    "CREATE TABLE prices USING parquet AS SELECT id % 90 AS p_item, concat('price ', id) AS p_note "
    "FROM range(0, 1000, 1, 2)"
)
for table in ("sales", "prices"):
    spark.table(table).coalesce(1).write.saveAsTable(f"single_{table}")
first_api = spark.conf.get("spark.sql.sources.useV1SourceList", "")
spark.conf.set("spark.sql.sources.useV1SourceList", "")
for table in ("sales", "prices", "single_sales", "single_prices"):
    spark.read.parquet(f"{spark.conf.get('spark.sql.warehouse.dir')}/{table}").createGlobalTempView(table)
spark.conf.set("spark.sql.sources.useV1SourceList", first_api)
# Their statistics are those of the files of a partition, whatever these are taken to hold.
wide = spark.range(0, 250_000, 1, 2).selectExpr("id", "1 AS day", "concat(uuid(), uuid(), uuid(), uuid()) AS unread")
for table, first, note in (("sales", 0, ""), ("prices", 249_000, "concat('price ', id) AS p_note")):
    columns = [f"id + {first} AS {table[0]}_item", *filter(None, [note]), "unread", f"day AS {table[0]}_day"]
    wide.selectExpr(*columns).write.partitionBy(f"{table[0]}_day").saveAsTable(f"dated_{table}")


def run(label: str, directives: str, statement: str, program: Callable[[DataFrame], list[Any]]) -> list[str]:
    session = spark.newSession()
    session.conf.set("spark.tuner.directives", directives)
    session.sparkContext.setJobDescription(f"{label}, statement")
    session.sql(statement).write.mode("overwrite").format("noop").save()
    session.sparkContext.setJobDescription(label)
    return sorted(repr(tuple(row)) for row in program(session.sql(statement)))


def hinted(label: str, hint: str) -> str:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
    (source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir", "").removeprefix("file:")))
    (query,) = [q for q in queries(read_application(source)) if q.description == f"{label}, statement" and q.joins]
    join = min(query.joins, key=lambda one: len(one.left.relations) + len(one.right.relations))
    side = join.right.relations if hint == "BROADCAST" else ()
    directive = HintDirective(
        "hint_join:r", join.signature, hint, side, literals=(literal_class(query.conditions or ()),)
    )
    return encode_message((QueryDirectives(query.fingerprint, query.relations, hints=(directive,)),))


same = {}
for name in sys.argv[2:] or PROGRAMS:
    statement, hint, program = PROGRAMS[name]
    plain = run(f"plain: {name}", "", statement, program)
    same[name] = run(f"hinted: {name}", hinted(f"plain: {name}", hint), statement, program) == plain
Path(sys.argv[1]).write_text(json.dumps(same))
spark.stop()
