"""A directive acts on the values that its query was measured with, and on no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.query_values import COMPUTED
from tuner.plan.digest import digest
from tuner.plan.literals import query_values
from tuner.plan.queries import queries

from .agent_log import steered_executions

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("values_app.py")
# Equalities of joins pass values on to the columns they are equal to; a text with a number sign may be no column's name.
CONDITIONS = [
    "",
    "",
    f"{COMPUTED}{digest('last_day')}",
    "kinds.kind",
    "returns.id",
    "returns.kind",
    "sales.day",
    "sales.id",
    "sales.kind",
]
COMPUTING = {"groups": ["last"], "a window": ["next_day"], "exploded": ["n"], "a lambda": []}
RISKY = "a condition of the joins may fail on rows that another order gives it: add"
OTHER = ("held", "its filters have other values than those it was measured with")


def test_a_loop_over_values_is_steered_where_they_were_measured(
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
    reported = json.loads(report.read_text(encoding="utf-8"))
    assert reported["unlike"] == []
    (source,) = find_logs(logs)
    application = read_application(source)
    found = {query.description: query for query in queries(application)}
    outcomes = {
        name: [(o.status.value, o.reason) for o in query.directives]
        for name, query in found.items()
        if query.directives and not name.startswith("plain")
    }
    applied = [("applied", "")]
    assert outcomes == {
        "again": applied,
        "another kind": [OTHER],
        "the next day": applied,
        "the next day of what is computed": applied,
        "another count of what is computed": [OTHER],
        "another list": [OTHER],
        "the list turned": applied,
        "another text with a number sign": [OTHER],
        "null-safe": [OTHER],
        "a pattern": [OTHER],
        "under a case": [OTHER],
        "either": [OTHER],
        "a long list": [OTHER],
        "many texts with number signs": [OTHER],
        "many others with number signs": [OTHER],
        "a text of two lines": [OTHER],
        "the first once more": applied,
        "the next day, by a text for one": [OTHER],
        "what may fail": [("impossible", RISKY)],
    }
    assert {name for name, query in found.items() if query.literals == reported["first"]} >= {
        "plain: again",
        "the next day",
    }
    conditions = {name: query.conditions for name, query in found.items()}
    assert all(conditions[f"plain: {name}"] == conditions[name] for name in outcomes if f"plain: {name}" in conditions)
    assert [c.columns.rpartition("/")[2] for c in conditions["again"]] == CONDITIONS
    for steered in (one for one in steered_executions(logs) if one.events):
        said = set(steered.execution.values.conditions or ())
        by_logical, by_physical = (
            query_values(steered.plan, text).conditions for text in (steered.execution.logical_plan, None)
        )
        told = {c for c in said if c.columns}
        # The physical plan alone does not tell a value with a number sign from a column.
        alike = set(by_logical or ()) == said and told <= set(by_physical or ())
        if steered.label == "rows":  # the texts of its plan tell none
            assert [c.columns for c in told - set(by_logical or ())] == [f"{COMPUTED}{digest('day,kind')}"]
            continue
        assert (told and alike) or not (told or by_logical or by_physical), steered.label
    columns = {name: [c.columns for c in conditions[name] or ()] for name in COMPUTING}
    computed = {name: [one for one in several if one.startswith(COMPUTED)] for name, several in columns.items()}
    assert computed == {name: [f"{COMPUTED}{digest(one)}" for one in named] for name, named in COMPUTING.items()}
    sizes = [side.estimated_bytes for join in found["a text of two lines"].joins for side in join.sides]
    assert sizes and None not in sizes
    numbered = [conditions[f"plain: many {which} with number signs"] for which in ("texts", "others")]
    assert numbered[0] != numbered[1]
    assert found["another kind"].literals == found["plain: another kind"].literals != reported["first"]
