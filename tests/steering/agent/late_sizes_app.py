"""Orders of joins bounded by the sizes that their own log tells, for tables whose size is another one until Spark has pushed
filters to them: of its second API for data sources, and of a catalog in partitions, Hive's own formats among them:
`late_sizes_app.py DIRECTORY REPORT`. Needs a Hive metastore.

The report has, for each kind of tables, whether the rows are the `same` without directives and with them, within one of several
ranges of sizes and between them; and how many partitions the metastore was asked for each time (`fetched`).
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tuner.advice.candidates.ordered_sides import leaf_bytes_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.join_graph import Joined, Order
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.literals import literal_class
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries
from tuner.steering.agent.agent_directives import SizeLimits, agent_directives

# Two of the eleven columns of sales are read, so files tell of far more bytes than what is read of them; of days one, or all 20.
TEXT = (
    "SELECT count(*), sum(g.weight) FROM {}sales s JOIN shops p ON s.shop = p.shop JOIN goods g ON s.good = g.good "
    "WHERE g.weight > 3 AND p.region = 2{}"
)
TEXTS = {
    "second API": TEXT.format("", ""),
    "partitions": TEXT.format("dated_", " AND s.day = 3"),
    "all partitions": TEXT.format("dated_", ""),
    "partitions of Hive": TEXT.format("hive_", " AND s.day = 3"),
    "a test of rows": TEXT.format(
        "dated_", " AND s.day = 3 AND s.text_0 IN (SELECT text FROM hive_sales WHERE day < 9)"
    ),
    "two readings": "SELECT count(*), sum(g.weight) FROM dated_sales s JOIN shops p ON s.shop = p.shop JOIN goods g "
    "ON s.good = g.good JOIN dated_sales o ON o.shop = p.shop "
    "WHERE g.weight > 3 AND p.region = 2 AND s.day = 3 AND o.day < 9",
}
# An estimate of the same plan is the same but for how it is rounded in its text.
ROUNDED = 1.01

directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
unread = [f"concat('text {n} ', id) AS text_{n}" for n in range(9)]
sales = spark.range(0, 20_000, 1, 2).selectExpr("id % 100 AS shop", "id % 90 AS good", *unread, "id % 20 AS day")
sales.drop("day").write.parquet(f"{directory}/sales")
sales.repartition("day").write.partitionBy("day").option("path", f"{directory}/dated_sales").saveAsTable("dated_sales")
spark.sql(
    "CREATE TABLE hive_sales (shop BIGINT, good BIGINT, text STRING) PARTITIONED BY (day BIGINT) STORED AS TEXTFILE"
)
spark.sql("INSERT INTO hive_sales SELECT shop, good, text_0, day FROM dated_sales")
spark.range(100).selectExpr("id AS shop", "id % 5 AS region").write.parquet(f"{directory}/shops")
spark.range(90).selectExpr("id AS good", "id % 7 AS weight").write.parquet(f"{directory}/goods")
spark.conf.set("spark.sql.sources.useV1SourceList", "")
for name in ("sales", "shops", "goods"):
    spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
# A table of the catalog is of the first API.
spark.conf.set("spark.sql.sources.useV1SourceList", "parquet")


fetched: dict[str, int] = {}


def fetched_so_far() -> int:
    return spark._jvm.org.apache.spark.metrics.source.HiveCatalogMetrics.METRIC_PARTITIONS_FETCHED().getCount()  # type: ignore[union-attr]


def rows(label: str, text: str, directives: str) -> list[tuple[object, ...]]:
    spark.conf.set("spark.tuner.directives", directives)
    spark.sparkContext.setJobDescription(label)
    before = fetched_so_far()
    found = [tuple(row) for row in spark.sql(text).collect()]
    fetched[label] = fetched_so_far() - before
    return found


def range_of(query: Query, times: float) -> dict[str, SizeBounds]:
    """About so many times the sizes of the run."""
    found = {}
    for n, relation in enumerate(query.graphs[0].relations):
        size = leaf_bytes_of(query, query.graphs[0], 1 << n)
        assert size is not None
        found[relation.label] = SizeBounds(int(times * size / ROUNDED), int(times * size * ROUNDED) + 1, 0)
    return found


plain = {kind: rows(f"{kind}, plain", text, "") for kind, text in TEXTS.items()}
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
logs = find_logs(Path(spark.conf.get("spark.eventLog.dir", "").removeprefix("file:")))
(source,) = (log for log in logs if spark.sparkContext.applicationId in log.path.name)
ran = {query.description: query for query in queries(read_application(source))}
same = {}
for kind, text in TEXTS.items():
    query = ran[f"{kind}, plain"]
    (graph,) = query.graphs
    tables = [relation.relations[0].rpartition("/")[2].rpartition(".")[2] for relation in graph.relations]
    first, *again = (n for n, table in enumerate(tables) if table.endswith("sales"))
    order: Order = first
    for number in (tables.index("goods"), tables.index("shops"), *again):
        order = Joined(order, number)
    action = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(order, graph), query.fingerprint)
    told = Reason(ReasonCode.RECORDED, {"said": "told"})
    change = Change.of("test", (action,), (query.fingerprint,), told, (), None)
    decided = DecidedChange(change, Standing.TRIAL, told, literals=(literal_class(query.conditions or ()),))
    for label, times in {"ordered": (0.2, 1), "held": (0.2, 9, 0.05)}.items():
        limits = SizeLimits(of_orders={action.id: [range_of(query, one) for one in times]})
        message = agent_directives(Decision(Mode.AUTO, (decided,)), (query,), limits).text
        same[f"{kind}, {label}"] = rows(f"{kind}, {label}", text, message) == plain[kind]
# Each directive asks how large a table is that is read whole.
whole, agent = spark.table("dated_sales")._jdf.queryExecution().optimizedPlan(), spark._jvm.tuner.steering.agent  # type: ignore[union-attr]
agent.Pass.begin(whole)
before = fetched_so_far()
sizes = {agent.ListedFiles.bytesOfAllPartitions(whole) for _ in range(3)}
fetched["a table of twenty partitions, three times"] = fetched_so_far() - before if len(sizes) == 1 else -1
# Where Spark would list its files once more, nobody asks.
spark.conf.set("spark.sql.hive.filesourcePartitionFileCacheSize", "0")
agent.Pass.begin(whole)
before = fetched_so_far()
unknown = agent.ListedFiles.bytesOfAllPartitions(whole)
fetched["a table of twenty partitions that Spark does not keep"] = fetched_so_far() - before
report.write_text(json.dumps({"same": same, "fetched": fetched, "unknown": unknown}))
spark.stop()
