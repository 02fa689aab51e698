"""Two tenants of one query, whose best orders are opposite, steered by one message: `tenants_app.py DIRECTORY REPORT`.

The report has, for each tenant, the orders by their ids and the rows with and without them.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.join_graph import Joined
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.literals import literal_class
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries
from tuner.steering.agent.agent_directives import agent_directives

TABLES = ("sales", "shops", "goods")
TEXT = (
    "SELECT count(*), sum(s.amount) FROM sales s JOIN shops p ON s.shop = p.shop JOIN goods g ON s.good = g.good "
    "WHERE p.tenant = {tenant} AND g.tenant = {tenant} AND s.day = {day}"
)
RUNS = {"one": (1, 1), "other": (2, 1), "one, the next day": (1, 2), "other, the next day": (2, 2), "a third": (3, 1)}

directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
spark.range(20_000).selectExpr(
    "id % 100 AS shop", "(id * 7) % 90 AS good", "id % 5 AS amount", "id % 2 + 1 AS day"
).write.parquet(f"{directory}/sales")
# Tenant 1 has few shops and most goods, tenant 2 most shops and few goods.
spark.range(100).selectExpr("id AS shop", "if(id < 3, 1, 2) AS tenant").write.parquet(f"{directory}/shops")
spark.range(90).selectExpr("id AS good", "if(id < 3, 2, 1) AS tenant").write.parquet(f"{directory}/goods")


def rows(label: str, directives: str) -> list:
    session = spark.newSession()
    session.conf.set("spark.tuner.directives", directives)
    for name in TABLES:
        session.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    session.sparkContext.setJobDescription(f"{'steered' if directives else 'plain'}: {label}")
    tenant, day = RUNS[label]
    return [tuple(row) for row in session.sql(TEXT.format(tenant=tenant, day=day)).collect()]


plain = {label: rows(label, "") for label in RUNS}
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
(source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:")))
found = [query for query in queries(read_application(source)) if query.description.startswith("plain: ")]
told = Reason(ReasonCode.RECORDED, {"said": "told"})
decided, ids = [], {}
for label, first in (("one", "shops"), ("other", "goods")):
    query = next(query for query in found if query.description == f"plain: {label}")
    (graph,) = query.graphs
    number = {relation.relations[0].rpartition("/")[2]: n for n, relation in enumerate(graph.relations)}
    last = ({"shops", "goods"} - {first}).pop()
    order = Joined(Joined(number["sales"], number[first]), number[last])
    action = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(order, graph), query.fingerprint)
    change = Change.of("test", (action,), (query.fingerprint,), told, (), None)
    neutral = tuple(c.columns for c in query.conditions or () if c.columns.endswith(".day"))
    allowed = (literal_class(query.conditions or (), neutral),)
    decided.append(DecidedChange(change, Standing.TRIAL, told, literals=allowed, neutral=neutral))
    ids[label] = action.id
alike = [query for query in found if query.fingerprint == found[0].fingerprint]
text = agent_directives(Decision(Mode.AUTO, tuple(decided)), alike).text
steered = {label: rows(label, text) for label in RUNS}
report.write_text(json.dumps({"ids": ids, "plain": plain, "steered": steered}))
spark.stop()
