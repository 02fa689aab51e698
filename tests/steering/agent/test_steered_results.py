"""Directives drawn at random never change what a program collects, and most of them are put in force."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from .agent_log import agent_events
from .checks import failures, unlike_hints, unlike_orders, unlike_signatures
from .conftest import SteeredRun

# What a cache holds was planned with another query, and a CTE that is not inlined is planned apart from its uses: the log
# shows what is below both. Batches of a stream are left alone.
_OTHERWISE = (": cached", ": a cte of rand")

pytestmark = [pytest.mark.spark, pytest.mark.nightly]


def entries(run: SteeredRun, phase: str = "steered") -> list[dict[str, Any]]:
    return [entry for entry in run.report if entry["phase"] == phase]


def test_every_program_runs(steered_run: SteeredRun) -> None:
    assert {f"{e['phase']}: {e['name']}": e["error"] for e in steered_run.report if e["error"]} == {}


def test_results_are_the_same(steered_run: SteeredRun) -> None:
    assert {e["name"]: e["difference"] for e in entries(steered_run) if e["difference"]} == {}


def test_the_agent_fails_at_no_plan(steered_run: SteeredRun) -> None:
    assert list(failures(steered_run.logs)) == []


def test_the_rules_change_nothing_in_a_plan_of_theirs(steered_run: SteeredRun) -> None:
    again = entries(steered_run, "steered again")
    assert len(again) > 10
    assert {e["name"]: e["difference"] for e in again if e["difference"]} == {}


def test_what_are_no_directives_changes_nothing_and_is_reported(steered_run: SteeredRun) -> None:
    broken = entries(steered_run, "broken")
    assert len(broken) > 10
    assert {e["name"]: e["difference"] for e in broken if e["difference"]} == {}
    assert sum(event["problem"] != "" for event in agent_events(steered_run.logs, "AgentLoaded")) >= 10


def statuses(run: SteeredRun, entry: dict[str, Any], kind: str) -> Counter[str]:
    """What became of a program's directives of a kind; "none" where the agent says nothing."""
    outcomes = {id_: status for s in run.of(entry) for id_, (status, _) in s.outcomes.items()}
    return Counter(outcomes.get(id_, "none") for id_ in {d["id"] for query in entry["directives"] for d in query[kind]})


def test_most_orders_are_applied_and_the_plans_have_them(steered_run: SteeredRun) -> None:
    found = sum((statuses(steered_run, entry, "orders") for entry in entries(steered_run)), Counter[str]())
    wrong = [p for e in entries(steered_run) for s in steered_run.of(e) for p in unlike_orders(s, e["directives"])]
    assert wrong == []
    assert found["applied"] >= 0.8 * found.total() > 80, found


def test_most_hints_are_applied_and_the_joins_follow_them(steered_run: SteeredRun) -> None:
    found = sum((statuses(steered_run, entry, "hints") for entry in entries(steered_run)), Counter[str]())
    wrong = [p for e in entries(steered_run) for s in steered_run.of(e) for p in unlike_hints(s, e["directives"])]
    assert wrong == []
    assert found["applied"] >= 0.6 * found.total() > 80, found


def test_the_agent_names_every_join_as_the_event_log_does(steered_run: SteeredRun) -> None:
    known = [s for s in steered_run.executions if not s.label.endswith(_OTHERWISE) and "runId" not in s.label]
    assert list(unlike_signatures(known)) == []
    assert sum(len(event["trace"]["joins"]) for steered in known for event in steered.events) > 500
