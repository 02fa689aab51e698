"""A query's plan before and after, and which joins are marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from tuner.history.store import Store
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Standing
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, MeasuredJoin, Predicate, RelationKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import RunDetails
from tuner.model.strategy import BuildSide, Strategy

from .nights import COHORT, HINT, PARTITIONS, decided, keep, night, outlook, query

Ask = Callable[..., Any]


def picture(strategy: Strategy, side: BuildSide | None = None) -> PlanPicture:
    """sales join days on top of two scans; the join's signature is what the hint of `nights` names."""
    join = PlanStep(
        StepKind.JOIN,
        strategy.value,
        "day",
        1000,
        None,
        (1, 2),
        signature="sales=days",
        strategy=strategy,
        build_side=side,
    )
    sales, days = (
        PlanStep(StepKind.SCAN, "Scan", name, rows, relations=(name,))
        for name, rows in (("sales", 10**6), ("days", 365))
    )
    return PlanPicture("q1", "SELECT 1", (join, sales, days))


def compare(ask: Ask, fingerprint: str = "q1") -> dict[str, Any]:
    found: dict[str, Any] = ask().get("/api/cohort/plan", params={"cohort": COHORT, "query": fingerprint}).json()
    return found


def test_before_is_the_newest_plan_with_nothing_in_force_and_after_the_newest_with_it(ask: Ask, store: Store) -> None:
    for number in (0, 1):
        keep(store, night(number, query("q1", 20)), details=RunDetails(pictures=(picture(Strategy.SORT_MERGE),)))
    steered = [decided(standing=Standing.TRIAL)]
    for number in (2, 3):
        shown = picture(Strategy.BROADCAST_HASH, BuildSide.RIGHT)
        keep(store, night(number, query("q1", 11), changes=steered), details=RunDetails(pictures=(shown,)))
    found = compare(ask)
    assert (found["before"]["run_key"], found["after"]["run_key"]) == (f"etl/{COHORT}/1/1", f"etl/{COHORT}/3/1")
    assert (found["before"]["query_seconds"], found["after"]["query_seconds"]) == (20.0, 11.0)
    assert found["before"]["in_force"] == []
    assert [a["standing"] for a in found["after"]["in_force"]] == ["trial"]
    assert not any(step["costliest"] for step in found["after"]["steps"]), "a run of before steps were timed"
    join, sales, days = found["after"]["steps"]
    assert (join["strategy"], join["build_side"], join["inputs"], join["rows"]) == (
        "BroadcastHashJoin",
        "right",
        [1, 2],
        1000,
    )
    assert join["changed"] == "BROADCAST by the tuner, sort merge before"
    assert found["before"]["steps"][0]["changed"] == "broadcast hash, built of the right side, after"
    assert (sales["changed"], days["changed"], days["rows"]) == ("", "", 365)


def with_plan(store: Store, number: int, strategy: Strategy = Strategy.SORT_MERGE, **night_fields: Any) -> None:
    keep(store, night(number, query("q1", 20), **night_fields), details=RunDetails(pictures=(picture(strategy),)))


def keys(found: dict[str, Any]) -> list[str | None]:
    return [side and side["run_key"].split("/")[2] for side in (found["before"], found["after"])]


def test_a_property_reaches_queries_that_it_was_not_meant_for(ask: Ask, store: Store) -> None:
    """A run with nothing but a property in force is a run with something in force, for each of its queries."""
    elsewhere = decided(PARTITIONS, Standing.PROMOTED, queries=("another",))
    with_plan(store, 0)
    for number in (1, 2):
        with_plan(store, number, changes=[elsewhere])
    found = compare(ask)
    assert keys(found) == ["0", "2"]
    assert found["before"]["in_force"] == []
    assert [item["words"] for item in found["after"]["in_force"]] == ["spark.sql.shuffle.partitions=16"]


def test_after_is_the_latest_and_before_had_none_of_what_is_in_force_now(ask: Ask, store: Store) -> None:
    """Another change, since taken out, does not keep a run from being before; it is told."""
    with_plan(store, 0)
    with_plan(store, 1, changes=[decided(PARTITIONS, Standing.TRIAL)])
    with_plan(store, 2, changes=[decided(HINT, Standing.TRIAL)])
    with_plan(store, 3, changes=[decided(HINT, Standing.PROMOTED), decided(PARTITIONS, Standing.ROLLED_BACK)])
    found = compare(ask)
    assert keys(found) == ["1", "3"]
    assert [item["words"] for item in found["before"]["in_force"]] == ["spark.sql.shuffle.partitions=16"]


def test_where_nothing_is_in_force_any_more_the_latest_is_before_and_stands_alone(ask: Ask, store: Store) -> None:
    with_plan(store, 0)
    with_plan(store, 1, Strategy.BROADCAST_HASH, changes=[decided(HINT, Standing.TRIAL)])
    with_plan(store, 2, changes=[decided(HINT, Standing.ROLLED_BACK)])
    assert keys(compare(ask)) == ["2", None]


def test_where_it_was_in_force_from_the_first_run_on_there_is_no_before(ask: Ask, store: Store) -> None:
    for number in (0, 1):
        with_plan(store, number, changes=[decided(HINT, Standing.PINNED)])
    assert keys(compare(ask)) == [None, "1"]


def test_steps_have_their_seconds_and_the_costliest_is_marked(ask: Ask, store: Store) -> None:
    join, sales, days = picture(Strategy.SORT_MERGE).steps
    timed = [msgspec.structs.replace(step, seconds=s) for step, s in ((join, 6.0), (sales, 11.5), (days, None))]
    keep(store, night(0, query("q1", 20)), details=RunDetails(pictures=(PlanPicture("q1", "", tuple(timed)),)))
    steps = compare(ask)["before"]["steps"]
    assert [(step["seconds"], step["costliest"]) for step in steps] == [(6.0, False), (11.5, True), (None, False)]


def test_a_side_that_no_run_has_is_none(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=RunDetails(pictures=(picture(Strategy.SORT_MERGE),)))
    found = compare(ask)
    assert found["after"] is None
    assert [step["changed"] for step in found["before"]["steps"]] == ["", "", ""]
    assert compare(ask, "no such query") == {
        "query": {"fingerprint": "no such query", "name": "query no such query"},
        "item": None,
        "before": None,
        "after": None,
    }


ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")


def advise(store: Store, *actions: Any) -> None:
    details = outlook(*actions)
    keep(
        store,
        night(0, query("q1", 20)),
        details=RunDetails(details.outlook, (), (picture(Strategy.SORT_MERGE),)),
    )


def test_where_no_run_had_it_the_plan_after_is_that_with_what_is_advised(ask: Ask, store: Store) -> None:
    advise(store, decided(HINT, Standing.HELD), decided(PARTITIONS))
    found = compare(ask)
    after = found["after"]
    assert (after["predicted"], found["before"]["predicted"]) == (True, False)
    assert (after["run_key"], after["query_seconds"]) == (found["before"]["run_key"], None)
    assert [(a["words"], a["standing"]) for a in after["in_force"]] == [("/*+ BROADCAST(days) */ in query 0", "held")]
    assert [(s["kind"], s["operator"], s["rows"]) for s in after["steps"]] == [
        ("join", "BroadcastHashJoin", 1000),
        ("scan", "Scan", 10**6),
        ("broadcast", "BroadcastExchange", 365),
        ("scan", "Scan", 365),
    ]
    assert after["steps"][0]["changed"] == "BROADCAST as advised, sort merge before"
    assert found["before"]["steps"][0]["changed"] == "broadcast hash, built of the right side, after"


def test_an_order_that_a_picture_cannot_show_is_named(ask: Ask, store: Store) -> None:
    advise(store, decided(ORDER))
    after = compare(ask)["after"]
    assert after["not_drawn"] == ["reorder the joins in query 0"]
    assert [step["changed"] for step in after["steps"]] == ["", "", ""]


def test_what_was_taken_out_is_not_drawn(ask: Ask, store: Store) -> None:
    advise(store, decided(HINT, Standing.ROLLED_BACK), decided(PARTITIONS, evidence=()))
    assert compare(ask)["after"] is None


def test_an_order_is_drawn_by_the_joins_that_the_run_measured(ask: Ask, store: Store) -> None:
    sales, days = (GraphRelation(name, (f"shop.{name}",), RelationKind.SCAN) for name in ("sales", "days"))
    key = Predicate(1, 2, "shop.sales.day", "shop.days.day")
    graph = JoinGraph("block", (sales, days), (key,), (), {3: MeasuredJoin(1000)}, Joined(0, 1))
    details = outlook(decided(Action(ActionKind.ORDER_JOINS, "block", "(days sales)", "q1")))
    ran = night(0, replace(query("q1", 20), graphs=(graph,)))
    keep(store, ran, details=RunDetails(details.outlook, (), (picture(Strategy.SORT_MERGE),)))
    after = compare(ask)["after"]
    assert after["not_drawn"] == []
    assert [(s["label"], s["rows"], s["changed"]) for s in after["steps"]] == [
        ("days.day = sales.day", 1000, "joined in another order as advised"),
        ("shuffle by day", 365, ""),
        ("days", 365, ""),
        ("shuffle by day", 10**6, ""),
        ("sales", 10**6, ""),
    ]
