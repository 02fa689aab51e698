"""Several classes of values of one query have each their own order in one message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.query import Query
from tuner.plan.queries import queries

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("tenants_app.py")


def test_two_tenants_have_opposite_orders_on_every_day_and_a_third_has_none(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.tuner.agent.trace": "true",
        "spark.sql.ui.explainMode": "cost",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["steered"] == told["plain"]
    (source,) = find_logs(logs)
    found = {q.description.removeprefix("steered: "): q for q in queries(read_application(source)) if q.directives}
    one, other = told["ids"]["one"], told["ids"]["other"]
    assert one != other
    expected = {
        "one": {one: "applied", other: "held"},
        "other": {one: "held", other: "applied"},
        "one, the next day": {one: "applied", other: "held"},
        "other, the next day": {one: "held", other: "applied"},
        "a third": {one: "held", other: "held"},
    }
    assert {
        label: {o.action_id: o.status.value for o in query.directives} for label, query in found.items()
    } == expected
    assert _between(found["one"]) < 2_000 and _between(found["other"]) < 2_000


def _between(query: Query) -> int:
    """Rows of the join below the last one."""
    return max(join.output_rows or 0 for join in query.joins)
