"""An order of joins for the rare tenants of a catalog table, met by the frequent one, as ANALYZE TABLE tells more and more of its
columns: `kept_rows_app.py DIRECTORY REPORT`.

The report has whether each run had the rows of the same run without directives.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.join_graph import Joined
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.literals import literal_class
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries
from tuner.steering.agent.agent_directives import SizeLimits, agent_directives

TEXT = (
    "SELECT count(*), sum(s.amount) FROM sales s JOIN shops p ON s.shop = p.shop JOIN goods g ON s.good = g.good "
    "WHERE {which}"
)
MOST_ROWS = 1_000
RUNS = {
    "rare": "s.tenant = 900",
    "another rare": "s.tenant = 901",
    "frequent": "s.tenant = 7",
    "several rare": "s.tenant IN (902, 903)",
    "several": "s.tenant IN (7, 903)",
    "many": f"s.tenant IN (7, {', '.join(map(str, range(200, 230)))})",
    "a range of the rare": "s.tenant BETWEEN 500 AND 502",
    "a range and another": "s.tenant < 10 AND s.amount < 4",
    "a range and one that drops more": "s.tenant < 10 AND s.amount = 4",
    "a range": "s.tenant < 10",
    "one that came after": "s.tenant = 5000",
    "with what no histogram tells": "s.tenant = 7 AND s.name = 't7'",
}
ANALYZE = "ANALYZE TABLE sales COMPUTE STATISTICS FOR ALL COLUMNS"

directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
# Tenant 7 has six rows of ten, nine hundred others about 22 each.
spark.range(0, 50_000, 1, 2).selectExpr(
    "if(id % 10 < 6, 7, 100 + cast(id div 10 % 900 as int)) AS tenant",
    "concat('t', if(id % 10 < 6, 7, 100)) AS name",
    "id % 100 AS shop",
    "(id * 7) % 90 AS good",
    "id % 5 AS amount",
).write.saveAsTable("sales")
spark.range(100).selectExpr("id AS shop").write.saveAsTable("shops")
spark.range(90).selectExpr("id AS good").write.saveAsTable("goods")


def rows(label: str, which: str, directives: str) -> list:
    spark.conf.set("spark.tuner.directives", directives)
    spark.sparkContext.setJobDescription(label)
    return [tuple(row) for row in spark.sql(TEXT.format(which=which)).collect()]


plain = {label: rows(f"plain: {label}", which, "") for label, which in RUNS.items()}
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
(source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:")))
found = {query.description: query for query in queries(read_application(source))}
every = [found[f"plain: {label}"] for label in RUNS]
neutral = tuple(sorted({c.columns for query in every for c in query.conditions or ()}))
allowed = tuple(sorted({literal_class(query.conditions or (), neutral) for query in every}))
(graph,) = every[0].graphs
number = {relation.relations[0].rpartition(".")[2]: n for n, relation in enumerate(graph.relations)}
order = Joined(Joined(number["sales"], number["goods"]), number["shops"])
action = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(order, graph), every[0].fingerprint)
told = Reason(ReasonCode.RECORDED, {"said": "told"})
change = Change.of("test", (action,), (every[0].fingerprint,), told, (), None)
decided = DecidedChange(change, Standing.TRIAL, told, literals=allowed, neutral=neutral)
bounds = {
    relation.label: SizeBounds(0, 1 << 40, MOST_ROWS if n == number["sales"] else 0)
    for n, relation in enumerate(graph.relations)
}
message = agent_directives(Decision(Mode.AUTO, (decided,)), every[:1], SizeLimits(of_orders={action.id: [bounds]})).text
same = {}
for statistics, labels in {"none": ("frequent",), "columns": ("frequent",), "histograms": RUNS}.items():
    spark.conf.set("spark.sql.statistics.histogram.enabled", str(statistics == "histograms").lower())
    if statistics != "none":
        spark.sql(ANALYZE)
    for label in labels:
        same[f"{statistics}: {label}"] = rows(f"{statistics}: {label}", RUNS[label], message) == plain[label]
report.write_text(json.dumps(same))
spark.stop()
