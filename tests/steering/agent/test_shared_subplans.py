"""Groups that a query makes several times are made once, where that changes no row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.plan.node import PlanNode, each_once
from tuner.plan.queries import queries
from tuner.plan.shared_subplans import shared_subplans

from .agent_log import steered_executions

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("shared_subplan_app.py")

REFUSED = {
    "computed keys": "what may fail would be computed of other rows: add",
    "what may fail": "what may fail would be computed of other rows: cast",
    "not grouped by it": "a condition is on what they are not grouped by, or not exactly",
    "all together, added up by floating point": "a function of one of them takes no condition",
    "all together, an average of whole numbers": "a function of one of them takes no condition",
    "all together, distinct": "a function of one of them takes no condition",
    "all together, by what may fail": "what may fail would be computed of other rows: divide",
    "years of dates, and the dates": "a condition is on what they are not grouped by, or not exactly",
    "computed zeros that are equal": "a condition is on what they are not grouped by, or not exactly",
    "zeros that are equal": "a condition is on what they are not grouped by, or not exactly",
    "texts that are equal": "a group of texts that are equal in several spellings above it takes rows in the order in which they "
    "come",
    "two kinds of distinct": "one computes what another cannot",
    "a sum of one alone": "what may fail would be computed of other rows: sum",
    "a correlation of one alone": "what may fail would be computed of other rows: corr",
    "a percentile of one alone": "what may fail would be computed of other rows: percentile",
    "grouped by others": "they are grouped by other columns",
    "grouped by others, of other values": "they are grouped by other columns",
    "other columns of other values": "its filters have other values than those it was measured with",
    "rows without a match": "a condition is on rows that a join adds or leaves out by it",
    "of files that were listed before others were added": "they read files of one path that were listed at different times",
    "of texts, other columns": "which rows a relation has may hang on the columns that are read of it",
}


def test_they_are_made_once_and_results_stay(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.autoBroadcastJoinThreshold": "10000",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    assert [name for name, is_same in same.items() if not is_same] == []
    found = {one.label.removeprefix("shared: "): one for one in steered_executions(logs) if "shared: " in one.label}
    outcomes = {name: min(one.outcomes.values(), key=_told_first) for name, one in found.items()}
    refused = {
        name: reason.removeprefix("the groups differ: ")
        for name, (status, reason) in outcomes.items()
        if status != "applied"
    }
    assert refused == REFUSED
    once = same.keys() - REFUSED.keys()
    assert {name for name, one in found.items() if _scans(one.ran) == 1} == once
    # A harvest of such a run tells so, and which query it was.
    (source,) = find_logs(logs)
    ran = {query.description: query for query in queries(read_application(source))}
    shared = {name: ran[f"shared: {name}"] for name in found}
    assert {name for name, query in shared.items() if query.merged} == once
    assert all(query.fingerprint == ran[f"plain: {name}"].fingerprint for name, query in shared.items())
    assert {name for name, one in found.items() if any(s.reused for s in shared_subplans(one.ran))} == once


def _told_first(outcome: tuple[str, str]) -> tuple[bool, bool, str]:
    """What came of the join that is next to the groups; of those below nothing can."""
    status, reason = outcome
    return status != "applied", not reason.startswith("the groups differ"), reason


def _scans(ran: PlanNode) -> int:
    """How often sales were read."""
    scans = (
        n
        for n in ran.walk_all()
        if n.full_name.startswith(("Scan parquet", "Scan csv")) and "sales" in n.metadata.get("Location", "")
    )
    return len(list(each_once(scans, lambda scan: scan)))
