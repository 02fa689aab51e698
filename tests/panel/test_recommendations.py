"""Recommendations as the panel tells them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunDetails, RunState
from tuner.model.verdict import Ruling

from .nights import COHORT, HINT, PARTITIONS, decided, keep, night, outlook, query, said

Ask = Callable[..., Any]
ANALYZE = Action(ActionKind.ANALYZE_TABLE, "shop.days", "day")
ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")


def shown(ask: Ask) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask().get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    return found


def test_a_proven_one_says_why_it_was_tried_what_it_gained_and_since_when(ask: Ask, store: Store) -> None:
    plain = night(0, query("q1", 20))
    tried = [night(n, query("q1", 11), changes=[decided(standing=Standing.TRIAL)]) for n in (1, 2)]
    proven = decided(standing=Standing.PROMOTED, why="20.0 s became 11.0 s over 1 query", gained=9.0)
    keep(store, plain, *tried, details=outlook(proven))
    (one,) = shown(ask)
    assert one["standing"] == "promoted"
    assert one["sentence"] == "days has 14.3 MB: about 9.0 s less"
    assert one["status"] == "20.0 s became 11.0 s over 1 query"
    assert one["evidence"] == [{"what": "build side", "value": 14.3e6, "unit": "bytes", "of": "shop.days"}]
    assert one["predicted"] == {"before": 20.0, "after": 11.0, "low": 9.0, "high": 14.0, "gain": 9.0}
    assert (one["gained_seconds"], one["measured_runs"], one["since_run"]) == (9.0, 2, tried[0].key)
    assert one["rulings"] == ["pin", "rollback"]
    assert [(a["join"], a["relations"], a["copy_text"]) for a in one["actions"]] == [
        ("sales=days", ["shop.days"], "/*+ BROADCAST(days) */")
    ]


def test_what_is_one_trial_is_one(ask: Ask, store: Store) -> None:
    """Properties that are set together are one change; an order and what needs it are two, which are tried together."""
    factor = replace(PARTITIONS, target="spark.sql.adaptive.skewJoin.skewedPartitionFactor", value="3")
    together = decided((PARTITIONS, factor), gain=5.0)
    order, needing = decided(ORDER), decided(replace(HINT, target="a=b"), needs=ORDER.id)
    alone = decided(HINT, gain=1.0)
    keep(store, night(0, query("q1", 20)), details=outlook(order, alone, together, needing))
    reordered, both, single = shown(ask)
    assert [a["action_id"] for a in both["actions"]] == [PARTITIONS.id, factor.id]
    assert {a["change_id"] for a in both["actions"]} == {together.id}
    assert [a["change_id"] for a in reordered["actions"]] == [order.id, needing.id]
    assert [a["action_id"] for a in single["actions"]] == [HINT.id]
    assert len({both["id"], reordered["id"], single["id"]}) == 3


def test_what_asks_for_a_person_comes_first_then_the_largest_gain(ask: Ask, store: Store) -> None:
    def change(number: int, standing: Standing, gain: float) -> Any:
        return decided(replace(HINT, target=f"join{number}"), standing, gain=gain)

    standings = [Standing.HELD, Standing.PROMOTED, Standing.PROPOSED, Standing.TRIAL, Standing.PROPOSED]
    found = [change(n, standing, gain=n) for n, standing in enumerate(standings)]
    keep(store, night(0, query("q1", 20)), details=outlook(*found))
    assert [(r["standing"], r["predicted"]["gain"]) for r in shown(ask)] == [
        ("proposed", 4.0),
        ("proposed", 2.0),
        ("trial", 3.0),
        ("promoted", 1.0),
        ("held", 0.0),
    ]


def test_without_an_outlook_the_newest_decision_is_shown(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), night(1, query("q1", 11), changes=[decided(standing=Standing.TRIAL)]))
    (one,) = shown(ask)
    assert (one["standing"], one["gained_seconds"]) == ("trial", None)


def test_a_run_under_way_leaves_the_outlook_of_the_one_before(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook(decided()))
    keep(store, night(1, state=RunState.RUNNING))
    assert [r["standing"] for r in shown(ask)] == ["proposed"]


@pytest.mark.parametrize(
    ("standing", "ruling", "then", "status"),
    [
        (Standing.PROPOSED, Ruling.APPROVE, "trial", "approved by bea, from the next run on"),
        (Standing.PROPOSED, Ruling.PIN, "pinned", "pinned by bea, from the next run on"),
        (Standing.PROPOSED, Ruling.REJECT, "held", "rejected by bea, from the next run on"),
        (Standing.PROMOTED, Ruling.ROLL_BACK, "rolled_back", "rolled back by bea, from the next run on"),
        (Standing.ROLLED_BACK, Ruling.APPROVE, "trial", "approved by bea, from the next run on"),
        (Standing.PINNED, Ruling.APPROVE, "trial", "approved by bea, from the next run on"),
    ],
)
def test_a_verdict_since_counts_as_it_will_in_the_next_decision(
    ask: Ask, store: Store, standing: Standing, ruling: Ruling, then: str, status: str
) -> None:
    keep(
        store,
        night(0, query("q1", 20), mode=Mode.SUGGEST),
        details=outlook(decided(standing=standing), mode=Mode.SUGGEST),
    )
    store.record(said(HINT, ruling, 0.5))
    (one,) = shown(ask)
    assert (one["standing"], one["status"]) == (then, status)
    assert one["sentence"] == "days has 14.3 MB: about 9.0 s less"
    assert ruling.value not in one["rulings"]


def test_statistics_can_only_be_left_to_a_person(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook(decided(ANALYZE)))
    (one,) = shown(ask)
    assert one["actions"][0]["copy_text"] == "ANALYZE TABLE shop.days COMPUTE STATISTICS FOR COLUMNS day"
    assert one["rulings"] == ["reject"]


def test_what_was_held_back_says_so_beside_its_reason(ask: Ask, store: Store) -> None:
    why = Reason(ReasonCode.MAY_LOSE, {"worst_loss_seconds": 3.0, "allowed_seconds": 2.0})
    held = decided(standing=Standing.HELD, why="about 9.0 s less", held=why)
    keep(store, night(0, query("q1", 20)), details=RunDetails(outlook(held).outlook))
    (one,) = shown(ask)
    assert one["sentence"] == "about 9.0 s less"
    assert one["status"] == "about 9.0 s less; held: it may lose 3.0 s, more than the 2.0 s allowed"
    assert one["rulings"] == ["approve", "reject", "pin"]
