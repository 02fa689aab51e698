"""A spark-submit that runs nothing: it leaves the event log of one join, broadcast where its conf or a hint asks for it.

usage: python logging_spark.py ARGUMENTS_OF_SPARK_SUBMIT
Its last argument may be `fail`: then the query fails and so does the program; `die` leaves a log that breaks off. With `results`
the query needs 1.5 GB of spark.driver.maxResultSize.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

# The Spark that spark-submit would start: a log of another one would be another context.
VERSION = version("pyspark") if find_spec("pyspark") else "4.0.1"
_SQL = "org.apache.spark.sql.execution.ui.SparkListener"
_METRICS = {
    "rows": "number of output rows",
    "size": "size of files read",
    "data": "data size",
    "sort": "sort time",
    "records": "shuffle records written",
}
# Rows, file bytes, sort ms, shuffle bytes, records of the sales (1x) and items (2x) side; rows put out (1).
_VALUES = {1: 1_430_861, 11: 1_430_861, 12: 10**8, 13: 1_500, 14: 57_234_440, 15: 1_430_861}
_VALUES |= {21: 198_263, 22: 2 * 10**7, 23: 90, 24: 14_274_936, 25: 198_263}
_RESULTS = "spark.driver.maxResultSize"
_TOO_LARGE = f"Total size of serialized results of 3 tasks (1536.0 MiB) is bigger than {_RESULTS} (1024.0 MiB)"
_THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


def main(arguments: list[str]) -> int:
    """Leave the log; the exit code."""
    conf = dict(v.split("=", 1) for flag, v in pairwise(arguments) if flag == "--conf")
    how = arguments[-1]
    error = "no disk" if how == "fail" else _TOO_LARGE if how == "results" and conf.get(_RESULTS) != "2048m" else None
    events = list(_events(conf, broadcast=_THRESHOLD in conf or _is_hinted(how), error=error))
    if how == "die":
        del events[-2:]
    directory = Path(unquote(urlsplit(conf["spark.eventLog.dir"]).path))
    name = f"local-{time.time_ns()}" + (".inprogress" if how == "die" else "")
    (directory / name).write_text("".join(json.dumps(event) + "\n" for event in events))
    return int(how == "die" or error is not None)


def _is_hinted(file: str) -> bool:
    return file.endswith(".json") and "BROADCAST" in Path(file).read_text()


def _events(conf: dict[str, str], *, broadcast: bool, error: str | None) -> list[dict[str, Any]]:
    start, took = int(time.time() * 1000), 4_000 if broadcast else 7_000
    execution = {"executionId": 0, "rootExecutionId": 0, "description": "statement 1 of 1", "details": ""}
    updates = [[accumulator, value] for accumulator, value in _VALUES.items()]
    end = {"executionId": 0, "time": start + took, "errorMessage": error}
    return [
        {"Event": "SparkListenerLogStart", "Spark Version": VERSION},
        {"Event": "SparkListenerApplicationStart", "App Name": "etl", "App ID": f"local-{start}", "Timestamp": start},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "driver", "Executor Info": {"Total Cores": 2}},
        {
            "Event": "SparkListenerEnvironmentUpdate",
            "Spark Properties": {"spark.master": "local[2]", "spark.driver.memory": "4g", **conf},
        },
        {"Event": f"{_SQL}SQLExecutionStart", **execution, "sparkPlanInfo": _plan(broadcast), "time": start},
        {"Event": f"{_SQL}DriverAccumUpdates", "executionId": 0, "accumUpdates": updates},
        {"Event": f"{_SQL}SQLExecutionEnd", **end},
        {"Event": "SparkListenerApplicationEnd", "Timestamp": start + took + 500},
    ]


def _plan(broadcast: bool) -> dict[str, Any]:
    sales, items = _scan("db.sales", "item", 10), _scan("db.items", "id", 20)
    keys = "[item#10], [id#20], Inner"
    if broadcast:
        small = _node("BroadcastExchange", "BroadcastExchange HashedRelationBroadcastMode", items, data=24)
        return _node("BroadcastHashJoin", f"BroadcastHashJoin {keys}, BuildRight", sales, small, rows=1)
    sides = [_sorted(sales, "item", 10), _sorted(items, "id", 20)]
    return _node("SortMergeJoin", f"SortMergeJoin {keys}", *sides, rows=1)


def _scan(name: str, column: str, id_: int) -> dict[str, Any]:
    return _node(f"Scan parquet {name}", f"FileScan parquet {name}[{column}#{id_}]", rows=id_ + 1, size=id_ + 2)


def _sorted(scan: dict[str, Any], column: str, id_: int) -> dict[str, Any]:
    exchange = _node("Exchange", f"Exchange hashpartitioning({column}#{id_}, 200)", scan, data=id_ + 4, records=id_ + 5)
    return _node("Sort", f"Sort [{column}#{id_} ASC NULLS FIRST], false, 0", exchange, sort=id_ + 3)


def _node(name: str, text: str, *children: dict[str, Any], **metrics: int) -> dict[str, Any]:
    return {
        "nodeName": name,
        "simpleString": text,
        "children": list(children),
        "metadata": {},
        "metrics": [{"name": _METRICS[m], "accumulatorId": a, "metricType": "sum"} for m, a in metrics.items()],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
