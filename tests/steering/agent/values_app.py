"""A loop over the values of a query's filters, steered by directives for those of the first: `values_app.py DIRECTORY REPORT`.

The report has for each run its name, its rows and the id of values that was allowed.
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
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.queries import queries
from tuner.steering.agent.agent_directives import agent_directives

TEXT = (
    "SELECT count(*), sum(s.amount) FROM sales s JOIN returns r ON s.id = r.id JOIN kinds k ON r.kind = k.kind "
    "WHERE s.kind = {kind} AND {day} AND r.kind IN ({kinds}) AND r.note <> '{note}'"
)
FIRST = {"kind": 0, "day": "s.day = '2024-01-05'", "kinds": "0, 1", "note": "a#1"}
RUNS = {
    "again": {},
    "another kind": {"kind": 1},
    "the next day": {"day": "s.day = '2024-01-06'"},
    "another list": {"kinds": "0, 2"},
    "the list turned": {"kinds": "1, 0"},
    "another text with a number sign": {"note": "a#2"},
    "the first once more": {},
}

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
    session = spark.newSession()
    session.conf.set("spark.tuner.directives", directives)
    for name in ("sales", "returns", "kinds"):
        session.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    session.sparkContext.setJobDescription(label)
    return [tuple(row) for row in session.sql(TEXT.format(**{**FIRST, **values})).collect()]


plain = {label: rows(f"plain: {label}", values, "") for label, values in RUNS.items()}
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
(source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:")))
found = queries(read_application(source))
(first,) = (query for query in found if query.description == "plain: again")
(join,) = (join for join in first.joins if len(join.left.relations) == len(join.right.relations) == 1)
action = Action(ActionKind.HINT_JOIN, join.signature, "MERGE", first.fingerprint)
told = Reason(ReasonCode.RECORDED, {"said": "told"})
change = Change.of("test", (action,), (first.fingerprint,), told, (), None)
decided = DecidedChange(change, Standing.TRIAL, told, literals=(first.literals,))
text = agent_directives(Decision(Mode.AUTO, (decided,)), found).text
unlike = [label for label, values in RUNS.items() if rows(label, values, text) != plain[label]]
old = rows("by a text for an older agent", {}, text.replace('"version":3', '"version":1'))
report.write_text(json.dumps({"unlike": unlike, "old": [list(row) for row in old], "first": first.literals}))
spark.stop()
