"""An order of joins is held where a histogram tells that a filter keeps more rows than it was measured with."""

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
_APP = Path(__file__).with_name("kept_rows_app.py")
_APPLIED = [("applied", None)]
_HELD = [("held", ReasonCode.HELD_MORE_ROWS)]


def test_a_histogram_tells_that_a_value_keeps_more_rows(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": "cost",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    assert same and all(same.values())
    (source,) = find_logs(logs)
    found = {
        query.description: [(one.status.value, one.held.code if one.held else None) for one in query.directives]
        for query in queries(read_application(source))
        if query.joins and not query.description.startswith("plain")
    }
    assert found.keys() == same.keys()
    frequent = {"frequent", "several", "many", "a range", "a range and another"}
    held = {f"histograms: {label}" for label in frequent}
    assert found == {label: _HELD if label in held else _APPLIED for label in same}
