"""What numbers rows as they lie, or reads them from a cache, has the same rows with directives for the joins that make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .agent_log import steered_executions

pytest.importorskip("pandas", reason="pandas is not installed: pip install airflow-spark-tuner[learn]")
pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("rows_as_they_lie_app.py")


def test_rows_stay_as_they_lie(agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": (tmp_path / "warehouse").as_uri(),
        "spark.sql.sources.fileCompressionFactor": "10000",
    }
    logs = spark_submit(_APP, tmp_path / "report.json", log_dir=tmp_path / "logs", conf=conf)
    same = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [name for name, is_same in same.items() if not is_same] == []
    found = {one.label.removeprefix("hinted: "): set(one.outcomes.values()) for one in steered_executions(logs)}
    statuses = {name: {status for status, _ in outcomes} for name, outcomes in found.items() if outcomes}
    lists = {"a list of a window's rows", "a list by a column that is renamed", "a list of the first rows"}
    numbered = {f"numbered by {what}" for what in ("pandas", "a process", "a function")}
    assert {name for name, found in statuses.items() if found == {"impossible"}} == {
        name + suffix for name in lists for suffix in ("", ", statement")
    } | numbered
    assert {name for name, found in statuses.items() if found == {"applied"}} == {
        f"{name}, statement" for name in {*numbered, "of a cache", "a list by other columns"}
    } | {"a list by other columns"}
