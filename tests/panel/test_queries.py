"""A cohort's queries: seconds now and without what is in force, what was gained, and all of them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import RunDetails, RunState

from .nights import COHORT, PARTITIONS, decided, keep, night, query

Ask = Callable[..., Any]
HINT = decided(standing=Standing.PROMOTED)


def answer(ask: Ask, **asked: object) -> dict[str, Any]:
    found: dict[str, Any] = ask().get("/api/cohort/queries", params={"cohort": COHORT, **asked}).json()
    return found


def called(found: dict[str, Any]) -> list[str]:
    return [item["query"]["fingerprint"] for item in found["items"]]


def test_slowest_first_with_what_is_in_force_on_each(ask: Ask, store: Store) -> None:
    before = night(0, query("q1", 20, "SELECT a"), query("q2", 15), query("gone", 1))
    after = night(1, query("q1", 10, "SELECT a"), query("q2", 15), changes=[HINT])
    picture = PlanPicture("q1", "SELECT a", (PlanStep(StepKind.SCAN, "Scan", "shop.days"),))
    keep(store, before, after, details=RunDetails(pictures=(picture, PlanPicture("q2", ""))))
    found = answer(ask)
    assert [(i["query"]["fingerprint"], i["baseline_seconds"], i["latest_seconds"]) for i in found["items"]] == [
        ("q2", pytest.approx(15, rel=0.01), 15.0),
        ("q1", pytest.approx(20, rel=0.01), 10.0),
        ("gone", 1.0, None),
    ]
    assert [i["gained_seconds"] for i in found["items"]] == [0.0, pytest.approx(10, rel=0.02), None]
    assert [i["share"] for i in found["items"]] == [0.6, 0.4, None]
    assert [([a["words"] for a in i["in_force"]], i["has_plan"]) for i in found["items"]] == [
        ([], False),
        (["/*+ BROADCAST(days) */ in SELECT a"], True),
        ([], False),
    ]
    assert [i["query"]["name"] for i in found["items"]] == ["query 0", "SELECT a", "query 0 (gone)"]


def test_nothing_is_gained_where_every_change_was_held(ask: Ask, store: Store) -> None:
    held = DirectiveResult(HINT.change.actions[0].id, DirectiveStatus.HELD, "its filters have other values")
    slow = replace(query("q1", 32), directives=(held,))
    keep(store, night(0, query("q1", 20), query("q2", 15)), night(1, slow, query("q2", 24), changes=[HINT]))
    found = answer(ask)
    assert [i["gained_seconds"] for i in [*found["items"], found["together"]]] == [None, None, None]
    assert ask().get("/api/cohort", params={"cohort": COHORT}).json()["baseline_seconds"] is None


@pytest.mark.parametrize("new", [0.0, 2.0])
def test_the_sums_are_those_of_the_cohort(ask: Ask, store: Store, new: float) -> None:
    """On a night when the machine is slow, which is no loss of the tuner's, and with a query that is new."""
    for number in range(4):
        keep(store, night(number, query("q1", 20), *(query(f"q{n}", 5) for n in range(2, 9)), query("gone", 9)))
    slow = [query("q1", 13), *(query(f"q{n}", 6.5) for n in range(2, 9)), *([query("new", new)] if new else [])]
    keep(store, night(4, *slow, changes=[HINT]))
    found, cohort = answer(ask), ask().get("/api/cohort", params={"cohort": COHORT}).json()
    together, ran = found["together"], [i for i in found["items"] if i["latest_seconds"] is not None]
    assert (together["baseline_seconds"], together["latest_seconds"]) == (
        cohort["baseline_seconds"],
        cohort["latest_seconds"],
    )
    assert sum(i["baseline_seconds"] for i in ran) == pytest.approx(together["baseline_seconds"])
    assert sum(i["latest_seconds"] for i in ran) == pytest.approx(together["latest_seconds"])
    assert sum(i["gained_seconds"] for i in ran) == pytest.approx(together["gained_seconds"])
    assert sum(i["share"] for i in ran) == pytest.approx(1)
    assert together["baseline_seconds"] == pytest.approx(26 + 7 * 6.5 + new, rel=0.05), "as that night had it"
    assert (together["queries"], together["new"], together["gone"]) == (len(ran), 0, 1)


def test_a_new_query_that_a_change_reached_has_no_seconds_without_it(ask: Ask, store: Store) -> None:
    both = decided(standing=Standing.TRIAL, queries=("q1", "new"))
    keep(store, night(0, query("q1", 20)), night(1, query("q1", 10), query("new", 1), changes=[both]))
    found = answer(ask)
    assert {i["query"]["fingerprint"]: i["baseline_seconds"] for i in found["items"]}["new"] is None
    assert found["together"]["new"] == 1
    assert found["together"]["baseline_seconds"] == pytest.approx(21, rel=0.01), "taken as it ran"


def test_where_nothing_is_in_force_nothing_is_gained(ask: Ask, store: Store) -> None:
    keep(store, *(night(n, query("q1", seconds)) for n, seconds in enumerate((20, 20, 14))))
    found = answer(ask)
    assert (found["items"][0]["baseline_seconds"], found["items"][0]["gained_seconds"]) == (20.0, None)
    assert (found["together"]["baseline_seconds"], found["together"]["gained_seconds"]) == (20.0, None)


def test_properties_are_told_once_for_all_queries(ask: Ask, store: Store) -> None:
    changes = [HINT, decided(PARTITIONS, Standing.TRIAL, queries=("q2",)), decided(PARTITIONS, Standing.HELD)]
    keep(store, night(0, query("q1", 20), query("q2", 5)), night(1, query("q1", 9), query("q2", 4), changes=changes))
    found = answer(ask)
    assert [len(i["in_force"]) for i in found["items"]] == [1, 0]
    assert [(a["words"], a["standing"]) for a in found["together"]["properties"]] == [
        ("spark.sql.shuffle.partitions=16", "trial")
    ]


@pytest.mark.parametrize(
    ("sort", "ascending"),
    [
        ("latest", ["b", "a", "slow", "gone"]),
        ("baseline", ["gone", "a", "b", "slow"]),
        ("gained", ["slow", "a", "b", "gone"]),
        ("name", ["a", "b", "gone", "slow"]),
        ("share", ["b", "a", "slow", "gone"]),
        ("in_force", ["a", "gone", "slow", "b"]),
    ],
)
def test_sorted_by_each_column_with_those_without_a_value_last(
    ask: Ask, store: Store, sort: str, ascending: list[str]
) -> None:
    changes = [decided(standing=Standing.TRIAL, queries=("slow", "b"))]
    keep(store, night(0, query("slow", 9, "Z"), query("a", 5, "A"), query("b", 6, "B"), query("gone", 1, "G")))
    keep(store, night(1, query("slow", 12, "Z"), query("a", 5, "A"), query("b", 4, "B"), changes=changes))
    assert called(answer(ask, sort=sort, descending=False)) == ascending


def test_a_page_of_the_sorted(ask: Ask, store: Store) -> None:
    keep(store, night(0, *(query(f"q{n}", n + 1.0) for n in range(5))))
    found = answer(ask, sort="latest", descending=True, limit=2, offset=2)
    assert (called(found), found["total"], found["together"]["queries"]) == (["q2", "q1"], 5, 5)


def test_what_they_are_not_sorted_by_is_refused(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)))
    assert ask().get("/api/cohort/queries", params={"cohort": COHORT, "sort": "fingerprint"}).status_code == 422


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.FAILED])
def test_no_run_measured(ask: Ask, store: Store, state: RunState) -> None:
    keep(store, night(0, query("q1", 20), state=state))
    found = answer(ask)
    assert found["items"] == []
    assert found["together"] == {
        "run_at": None,
        "queries": 0,
        "new": 0,
        "gone": 0,
        "baseline_seconds": None,
        "latest_seconds": None,
        "gained_seconds": None,
        "properties": [],
    }
