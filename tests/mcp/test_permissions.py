"""Tools tell a viewer what the panel tells him, and no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.panel.nights import decided, keep, night, outlook, query
from tests.panel.people import Someone, editor, reader
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import RunState
from tuner.panel.access import UNKNOWN_COHORT, UNREADABLE_DAG

from .conftest import Call

SECRET = "SELECT 'secret'"
OF_COHORT: dict[str, dict[str, Any]] = {
    "explain_cohort": {},
    "list_runs": {},
    "explain_run": {"run": "a/a.load/1/1"},
    "list_queries": {},
    "query_plan": {"query": "q1"},
    "compare_runs": {},
}


@pytest.fixture(autouse=True)
def cohorts(store: Store) -> None:
    """One of each team, one of both, and one outside Airflow."""
    trial = decided(standing=Standing.TRIAL)
    for name, dags in {"a.load": ["a", "a"], "b.load": ["b"], "both": ["a", "b"], "cli": [""]}.items():
        runs = [
            night(n, query("q1", 9, SECRET), cohort=name, dag_id=dag, changes=[trial]) for n, dag in enumerate(dags)
        ]
        keep(store, *runs, details=outlook(trial))


def listed(call: Call, viewer: Someone, **asked: str) -> list[str]:
    return [item["cohort"] for item in call("list_cohorts", viewer, **asked)["items"]]


def test_lists_have_the_cohorts_whose_every_dag_is_readable(call: Call) -> None:
    assert listed(call, Someone()) == ["a.load", "b.load", "both", "cli"]
    assert listed(call, reader("a")) == ["a.load"]
    assert listed(call, reader("a", "b")) == ["a.load", "b.load", "both"]
    assert listed(call, reader()) == []


@pytest.mark.parametrize("tool", OF_COHORT)
@pytest.mark.parametrize("cohort", ["b.load", "both", "cli", "no.such"])
def test_a_cohort_that_may_not_be_read_is_as_one_that_does_not_exist(
    tool: str, cohort: str, refused: Callable[..., str]
) -> None:
    assert refused(tool, reader("a"), cohort=cohort, **OF_COHORT[tool]) == f"{tool}: {UNKNOWN_COHORT}"


@pytest.mark.parametrize("tool", ["list_cohorts", "savings"])
@pytest.mark.parametrize("dag_id", ["b", "no-such-dag"])
def test_a_dag_asked_for_by_name_is_refused_whether_it_exists_or_not(
    tool: str, dag_id: str, refused: Callable[..., str]
) -> None:
    assert refused(tool, reader("a"), dag_id=dag_id) == f"{tool}: {UNREADABLE_DAG}"


def test_savings_are_those_of_readable_cohorts(call: Call) -> None:
    assert call("savings", reader("a"), weeks=104)["cohorts_in_all"] <= 1
    assert "b.load" not in str(call("savings", reader("a"), weeks=104))


def test_descriptions_of_queries_are_for_who_may_read_the_code(call: Call) -> None:
    told = {
        tool for tool, asked in OF_COHORT.items() if SECRET in str(call(tool, editor("a"), cohort="a.load", **asked))
    }
    assert told >= {"explain_cohort", "explain_run", "list_queries", "query_plan"}
    hidden = [
        tool for tool, asked in OF_COHORT.items() if "secret" in str(call(tool, reader("a"), cohort="a.load", **asked))
    ]
    assert hidden == []


def test_what_failed_is_named_to_who_may_read_the_code(call: Call, store: Store) -> None:
    failed = night(2, query("q1", 9, SECRET), cohort="a.load", dag_id="a", state=RunState.FAILED)
    assert failed.outcome is not None
    failure = Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", None, SECRET)
    keep(store, replace(failed, outcome=replace(failed.outcome, failure=failure)))
    asked = {"cohort": "a.load", "run": failed.key}
    assert call("explain_run", editor("a"), **asked)["failure"] == f"broadcast timed out after 300 s in {SECRET}"
    assert call("explain_run", reader("a"), **asked)["failure"] == "broadcast timed out after 300 s"


def test_tools_are_the_same_for_every_viewer(tools: Callable[..., Any]) -> None:
    assert tools(reader()).listed() == tools(Someone()).listed()
