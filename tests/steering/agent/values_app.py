"""A loop over the values of a query's filters, steered by directives for those of the first, whatever its day is, and then for
no other day: `values_app.py DIRECTORY REPORT`.

The report tells which runs had other rows, and the id of values and the classes that were allowed.
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
from tuner.model.query_values import COMPUTED
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.literals import literal_class
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries
from tuner.steering.agent.agent_directives import agent_directives

TEXT = (
    "SELECT count(*), sum(s.amount), max(s.day) AS last_day "
    "FROM sales s JOIN returns r ON s.id = r.id JOIN kinds k ON r.kind = k.kind "
    "WHERE s.kind = {kind} AND {day} AND r.kind IN ({kinds}) AND r.note <> '{note}' AND {rest} "
    "HAVING last_day >= '{last}' AND count(*) > {least}"
)
FIRST = {
    "kind": 0,
    "day": "s.day = '2024-01-05'",
    "kinds": "0, 1",
    "note": "a#1",
    "rest": "r.id >= 0",
    "last": "2024",
    "least": 0,
}
RUNS = {
    "again": {},
    "another kind": {"kind": 1},
    "the next day": {"day": "s.day = '2024-01-06'"},
    "the next day of what is computed": {"last": "2024-01-02"},
    "another count of what is computed": {"least": 1},
    "another list": {"kinds": "0, 2"},
    "the list turned": {"kinds": "1, 0"},
    "another text with a number sign": {"note": "a#2"},
    "null-safe": {"rest": "s.amount <=> 3"},
    "a pattern": {"rest": "r.note LIKE 'n1%'"},
    "under a case": {"rest": "CASE WHEN s.amount > 3 THEN r.id ELSE s.amount END > 2"},
    "either": {"rest": "(s.amount = 3 OR s.amount = 4)"},
    "a long list": {"rest": f"r.id IN ({', '.join(map(str, range(60)))})"},
    "many texts with number signs": {"rest": f"r.note IN {tuple(f'n#{n}' for n in range(12))}"},
    "many others with number signs": {"rest": f"r.note IN {tuple(f'n#{n}' for n in range(20, 32))}"},
    "a text of two lines": {"rest": r"regexp_replace(r.note, '\n', ' ') <> 'a\nb'"},
    "the first once more": {},
}
# What is computed of columns, and rows in the text: their names are no relation's.
COMPUTING = {
    "groups": "SELECT k.kind FROM (SELECT kind, max(day) AS last FROM sales GROUP BY kind) g JOIN kinds k ON g.kind = k.kind "
    "WHERE g.last >= '2024-01-02'",
    "a window": "SELECT v.id FROM (SELECT *, lead(day) OVER (PARTITION BY kind ORDER BY id) AS next_day FROM sales) v "
    "JOIN kinds k ON v.kind = k.kind WHERE '2024-01-05' < v.next_day",
    "exploded": "SELECT v.id FROM (SELECT * FROM sales LATERAL VIEW explode(sequence(0, kind)) t AS n) v "
    "JOIN kinds k ON v.kind = k.kind WHERE v.n = 1",
    "a lambda": "SELECT s.id FROM sales s JOIN kinds k ON s.kind = k.kind "
    "WHERE s.day = '2024-01-05' AND exists(sequence(0, s.kind), x -> x = 1)",
    "rows": "SELECT s.id FROM VALUES ('2024-01-05', 0) AS p(day, kind) JOIN sales s ON s.day = p.day AND s.kind = p.kind",
}

# No order may ask its last condition of other rows, whatever values it has.
RISKY = (
    "SELECT s.id FROM sales s JOIN returns r ON s.id = r.id JOIN kinds k ON r.kind = k.kind AND s.amount + k.kind > 0 "
    "WHERE s.day = '2024-01-05'"
)

directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
numbers = spark.range(400)
numbers.selectExpr(
    "id", "id % 3 AS kind", "id % 7 AS amount", "if(id % 2 = 0, '2024-01-05', '2024-01-06') AS day"
).write.parquet(f"{directory}/sales")
numbers.selectExpr("id", "id % 3 AS kind", "concat('n', id) AS note").write.parquet(f"{directory}/returns")
numbers.selectExpr("id % 3 AS kind").distinct().write.parquet(f"{directory}/kinds")
for name in ("sales", "returns", "kinds"):
    spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)


def rows(label: str, values: dict, directives: str) -> list:
    return rows_of(label, TEXT.format(**{**FIRST, **values}), directives)


def rows_of(label: str, statement: str, directives: str) -> list:
    session = spark.newSession()
    session.conf.set("spark.tuner.directives", directives)
    for name in ("sales", "returns", "kinds"):
        session.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    session.sparkContext.setJobDescription(label)
    return [tuple(row) for row in session.sql(statement).collect()]


plain = {label: rows(f"plain: {label}", values, "") for label, values in RUNS.items()}
rows_of("plain: what may fail", RISKY, "")
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
(source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:")))
found = queries(read_application(source))
(first,) = (query for query in found if query.description == "plain: again")
(risky,) = (query for query in found if query.description == "plain: what may fail")
(join,) = (join for join in first.joins if len(join.left.relations) == len(join.right.relations) == 1)
action = Action(ActionKind.HINT_JOIN, join.signature, "MERGE", first.fingerprint)
told = Reason(ReasonCode.RECORDED, {"said": "told"})
change = Change.of("test", (action,), (first.fingerprint,), told, (), None)
(graph,) = risky.graphs
order = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(Joined(Joined(1, 2), 0), graph), risky.fingerprint)
day = tuple(c.columns for c in first.conditions or () if c.columns.endswith(".day") or c.columns.startswith(COMPUTED))


def directives(neutral: tuple) -> str:
    allowed = (literal_class(first.conditions or (), neutral),)
    decided = DecidedChange(change, Standing.TRIAL, told, literals=allowed, neutral=neutral)
    alike = [query for query in found if query.fingerprint == first.fingerprint]
    return agent_directives(Decision(Mode.AUTO, (decided,)), alike).text


text = directives(day)
unlike = [label for label, values in RUNS.items() if rows(label, values, text) != plain[label]]
old = rows("by a text for an older agent", {}, text.replace('"version":3', '"version":1'))
rows("the next day, by a text for one", RUNS["the next day"], directives(()))
ordered = DecidedChange(
    Change.of("test", (order,), (risky.fingerprint,), told, (), None), Standing.TRIAL, told, literals=("other",)
)
rows_of("what may fail", RISKY, agent_directives(Decision(Mode.AUTO, (ordered,)), [risky]).text)
for label, statement in COMPUTING.items():
    rows_of(label, statement, text)
report.write_text(json.dumps({"unlike": unlike, "old": [list(row) for row in old], "first": first.literals}))
spark.stop()
