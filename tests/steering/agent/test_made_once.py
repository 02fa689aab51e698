"""What Spark makes once for several readers stays so where it would be others' rows that one of them gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .agent_log import steered_executions

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("made_once_app.py")

_REFUSED = "its rows are made once for several readers, and may be others when they are made again: "
REFUSED = {
    "a broadcast beside it": "LogicalRDD",
    "a broadcast of it": "LogicalRDD",
    "a filter of it": "LogicalRDD",
    "an order by another key": "LogicalRDD",
    "a broadcast beside first rows": "first",
    "a filter of first rows": "first",
}
APPLIED = {
    "another join of what is shuffled",
    "a broadcast beside files",
    "a filter of files",
    "an order of files",
    "an order of files of the second API",
    "a broadcast beside files read by a function",
    "a broadcast beside what another key shuffles",
    "a broadcast beside partitions",
    "a broadcast beside what is read once",
}


def test_what_is_made_once_and_may_be_others_each_time_stays_so(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.warehouse.dir": (tmp_path / "warehouse").as_uri(),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.sources.fileCompressionFactor": "10000",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    assert [name for name, is_same in same.items() if not is_same] == []
    found = {one.label.removeprefix("steered: "): one for one in steered_executions(logs) if "steered: " in one.label}
    outcomes = {name: next(iter(one.outcomes.values())) for name, one in found.items()}
    assert {name: outcomes[name] for name in REFUSED} == {
        name: ("impossible", _REFUSED + what) for name, what in REFUSED.items()
    }
    assert {name: outcomes[name] for name in APPLIED} == dict.fromkeys(APPLIED, ("applied", ""))
