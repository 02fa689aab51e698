"""Tables of Spark's second API, and those of a catalog in partitions, have the sizes, where the agent orders joins, that the log
of a run tells.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.reason import ReasonCode
from tuner.plan.queries import queries

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("late_sizes_app.py")
_KINDS = ("second API", "partitions", "all partitions", "partitions of Hive", "a test of rows", "two readings")


def test_an_order_is_followed_within_sizes_that_a_log_tells(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": "cost",
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": (tmp_path / "warehouse").as_uri(),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={tmp_path}/metastore;create=true",
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    told = json.loads(report.read_text(encoding="utf-8"))
    fetched = told["fetched"]
    asked_once = [kind for kind in _KINDS if fetched[f"{kind}, ordered"] == fetched[f"{kind}, plain"]]
    assert asked_once == [kind for kind in _KINDS if kind != "all partitions"], fetched
    assert fetched["a table of twenty partitions, three times"] == 20
    assert (told["unknown"], fetched["a table of twenty partitions that Spark does not keep"]) == (-1, 0)
    assert told["same"] == {f"{kind}, {label}": True for kind in _KINDS for label in ("ordered", "held")}
    # Derby logs there, too.
    (source,) = (log for log in find_logs(logs) if "local-" in log.path.name)
    found = {query.description: query for query in queries(read_application(source))}
    for kind in _KINDS:
        assert [(one.status.value, one.reason) for one in found[f"{kind}, ordered"].directives] == [("applied", "")]
        (held,) = found[f"{kind}, held"].directives
        assert held.held is not None and held.held.code is ReasonCode.HELD_BETWEEN_SIZES
        numbers = held.held.numbers
        assert numbers["ranges"] == 3
        assert 4 < int(numbers["bytes"]) / int(numbers["most_bytes"]) < 6, "the nearest range is that of a fifth"
