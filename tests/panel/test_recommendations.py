"""Recommendations as the panel tells them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.model.action import Action, ActionKind
from tuner.model.change import Prediction, Risk
from tuner.model.decision import Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunDetails, RunState
from tuner.model.verdict import ModeChange, Ruling
from tuner.panel.recent_runs import PANEL_RUNS
from tuner.policy.ledger import read_ledger
from tuner.policy.literal_classes import with_literal_classes

from .nights import COHORT, FIRST, HINT, PARTITIONS, decided, keep, night, outlook, query, said

Ask = Callable[..., Any]
ANALYZE = Action(ActionKind.ANALYZE_TABLE, "shop.days", "day")
ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")


def shown(ask: Ask) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask().get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    return found


def test_a_proven_one_says_why_it_was_tried_what_it_gained_and_since_when(ask: Ask, store: Store) -> None:
    plain = night(0, query("q1", 20))
    tried = [night(n, query("q1", 11), changes=[decided(standing=Standing.TRIAL)]) for n in (1, 2)]
    proven = decided(standing=Standing.PROMOTED, status="20.0 s became 11.0 s over 1 query", gained=9.0)
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


@pytest.mark.parametrize(
    ("first", "since", "or_earlier"),
    [pytest.param(3, 5, True, marks=pytest.mark.nightly), (5, 5, True), (10, 10, False)],
)
def test_since_when_it_is_in_force_is_told_as_far_as_runs_are_in_view(
    ask: Ask, store: Store, first: int, since: int, *, or_earlier: bool
) -> None:
    pinned = decided(standing=Standing.PINNED)
    nights = [
        night(n, query("q1", 11 if n >= first else 20), changes=[pinned] if n >= first else [])
        for n in range(PANEL_RUNS + 5)
    ]
    keep(store, *nights, details=outlook(pinned))
    (one,) = shown(ask)
    assert (one["since_run"], one["or_earlier"]) == (nights[since].key, or_earlier)
    client, of = ask(), {"cohort": COHORT, "limit": 1}
    run, cohort = (client.get(f"/api/{path}", params=of).json() for path in ("cohort/runs", "cohort"))
    assert (run["items"][0]["band"] is None) is (first <= 5), "no run in view was without it"
    assert cohort["query_seconds"] == run["items"][0]["query_seconds"]
    assert cohort["gained"]["seconds"] == pytest.approx(9, rel=0.1)


def test_a_run_that_left_it_out_once_is_not_before_it_was_in_force(ask: Ask, store: Store) -> None:
    proven, why = decided(standing=Standing.PROMOTED), Reason(ReasonCode.LONG_IN_FORCE, {"run": "x"})
    nights = [night(n, query("q1", 11), changes=[proven]) for n in range(PANEL_RUNS + 5)]
    left_out = replace(nights[5].decision, changes=(decided(standing=Standing.HELD, held=why),))
    nights[5] = replace(nights[5], decision=left_out)
    keep(store, *nights, details=outlook(proven))
    (one,) = shown(ask)
    assert (one["since_run"], one["or_earlier"]) == (nights[6].key, True)


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


def test_a_run_that_could_not_be_looked_ahead_from_leaves_the_outlook_of_the_one_before(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook(decided()))
    later = night(1, query("q1", 20))
    keep(store, replace(later, started_at=later.started_at - timedelta(hours=24, minutes=-1)), details=RunDetails())
    assert [r["standing"] for r in shown(ask)] == ["proposed"]
    assert [d.standing for d in decision_now(store, COHORT).decision.changes] == [Standing.PROPOSED]


def test_a_run_that_was_not_decided_in_time_leaves_the_outlook_of_one_before(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook(decided()))
    late = night(2, query("q1", 20))
    late = replace(late, decision=replace(late.decision, unsteered=Reason(ReasonCode.UNSTEERED, {"why": "late"})))
    keep(store, night(1, query("q1", 20)), late, details=RunDetails())
    assert [r["standing"] for r in shown(ask)] == ["proposed"]


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


def test_what_lost_after_a_person_approved_it_can_be_approved_again(ask: Ask, store: Store) -> None:
    store.record(said(HINT, Ruling.APPROVE, -0.5))
    slower = Reason(ReasonCode.SLOWER, {"queries": 1, "before": 20.0, "after": 26.0})
    lost = replace(decided(standing=Standing.ROLLED_BACK), why=slower)
    tried = night(0, query("q1", 26), changes=[decided(standing=Standing.TRIAL)])
    keep(store, tried, details=outlook(lost))
    (one,) = shown(ask)
    assert (one["standing"], one["rulings"]) == ("rolled_back", ["approve", "reject", "pin"])
    store.record(said(HINT, Ruling.APPROVE, 0.5))
    (again,) = shown(ask)
    assert (again["standing"], again["rulings"]) == ("trial", ["pin", "rollback"])


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
    assert one["status"] == "held: it may lose 3.0 s, more than the 2.0 s allowed"
    assert one["rulings"] == ["approve", "reject", "pin"]


def hinted(number: int, standing: Standing = Standing.PROPOSED, **known: Any) -> Any:
    return decided(replace(HINT, target=f"join{number}"), standing, **known)


def test_what_waits_for_a_person_does_so_but_for_mode_observe(ask: Ask, store: Store) -> None:
    keep(
        store,
        night(0, query("q1", 20), mode=Mode.SUGGEST),
        details=outlook(hinted(1), hinted(2, Standing.TRIAL), mode=Mode.SUGGEST),
    )
    assert [r["waits"] for r in shown(ask)] == [True, False]
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", FIRST + timedelta(days=0.5)))
    assert [(r["standing"], r["waits"]) for r in shown(ask)] == [("proposed", False), ("proposed", False)]


def test_of_what_is_tried_in_part_each_part_is_ruled_on_by_itself(ask: Ask, store: Store) -> None:
    order, needing = decided(ORDER, Standing.TRIAL), decided(replace(HINT, target="a=b"), needs=ORDER.id)
    settled = hinted(1, Standing.PROMOTED, gain=99.0)
    keep(
        store,
        night(0, query("q1", 20), mode=Mode.SUGGEST),
        details=outlook(settled, order, needing, mode=Mode.SUGGEST),
    )
    mixed, other = shown(ask)
    assert (mixed["standing"], mixed["waits"], other["waits"]) == ("trial", True, False)
    assert sorted(mixed["rulings"]) == ["approve", "pin", "reject", "rollback"]
    assert {a["change_id"]: sorted(a["rulings"]) for a in mixed["actions"]} == {
        order.id: ["pin", "rollback"],
        needing.id: ["approve", "reject", "rollback"],
    }
    assert sorted(other["actions"][0]["rulings"]) == ["pin", "rollback"]


def test_since_when_it_stands_so_and_how_it_stood(ask: Ask, store: Store) -> None:
    first = night(0, query("q1", 20), changes=[hinted(1), hinted(2)])
    second = night(1, query("q1", 20), changes=[hinted(1, Standing.TRIAL), hinted(2)])
    third = night(2, query("q1", 20), changes=[hinted(1, Standing.TRIAL), hinted(2)])
    now = outlook(hinted(1, Standing.PROMOTED), hinted(2), hinted(3))
    keep(store, first, second, third, details=now)
    told = {r["actions"][0]["join"]: (r["stands_since"], r["stood"]) for r in shown(ask)}
    ended = (third.ended_at or third.started_at).isoformat().replace("+00:00", "Z")
    assert told == {"join1": (ended, "trial"), "join2": (None, None), "join3": (ended, None)}


def test_a_run_that_was_without_it_to_compare_tells_of_no_change_of_standing(ask: Ask, store: Store) -> None:
    """The morning after, it was told as newly promoted."""
    proven, why = hinted(1, Standing.PROMOTED), Reason(ReasonCode.NEVER_WITHOUT, {})
    out = night(2, query("q1", 20), changes=[hinted(1, Standing.HELD, held=why)])
    keep(store, *(night(n, query("q1", 11), changes=[proven]) for n in (0, 1)), out, details=outlook(proven))
    (one,) = shown(ask)
    assert (one["standing"], one["stands_since"], one["stood"]) == ("promoted", None, None)
    keep(store, night(3, query("q1", 11), changes=[proven]), details=outlook(hinted(1, Standing.HELD, held=why)))
    (one,) = shown(ask)
    assert (one["standing"], one["stood"]) == ("held", "promoted")


def test_runs_that_no_decision_on_changes_steered_tell_of_no_change_of_standing(ask: Ask, store: Store) -> None:
    """A retry is without trials, and a run that looks for what made one fail without all: the changes stand as they stood."""
    nothing = [
        Reason(ReasonCode.CHANGES_SUSPECTED, {"run": "x", "changes": 1}),
        Reason(ReasonCode.UNSTEERED, {"why": ""}),
    ]
    proven = hinted(1, Standing.PROMOTED)
    first = night(0, query("q1", 20), changes=[hinted(1, Standing.TRIAL)])
    steered = [night(n, query("q1", 20), changes=[proven, hinted(2, Standing.TRIAL)]) for n in (1, 2)]
    retry = night(3, query("q1", 20), changes=[proven, hinted(2, Standing.HELD)])
    untold = [night(n, query("q1", 20)) for n in (4, 5)]
    untold = [replace(r, decision=replace(r.decision, unsteered=why)) for r, why in zip(untold, nothing, strict=True)]
    now = outlook(proven, hinted(2, Standing.TRIAL))
    keep(store, first, *steered, replace(retry, try_number=2), *untold, details=now)
    told = {r["actions"][0]["join"]: (r["stands_since"], r["stood"]) for r in shown(ask)}
    tried = steered[0].started_at.isoformat().replace("+00:00", "Z")
    assert told == {"join1": (tried, "trial"), "join2": (tried, None)}


@pytest.mark.parametrize("why", [ReasonCode.FIRST_RUN, ReasonCode.NOTHING_HARVESTED])
def test_what_came_after_a_run_of_which_nothing_was_known_yet_is_new(ask: Ask, store: Store, why: ReasonCode) -> None:
    first, second = night(0, query("q1", 20)), night(1, query("q1", 20), changes=[hinted(1)])
    keep(
        store,
        replace(first, decision=replace(first.decision, unsteered=Reason(why))),
        second,
        details=outlook(hinted(1)),
    )
    (one,) = shown(ask)
    assert (one["stands_since"], one["stood"]) == (second.started_at.isoformat().replace("+00:00", "Z"), None)


def test_what_a_person_said_since_is_when_it_came_to_stand_so(ask: Ask, store: Store) -> None:
    keep(
        store,
        night(0, query("q1", 20)),
        night(1, query("q1", 20), changes=[decided(standing=Standing.TRIAL)]),
        details=outlook(decided(standing=Standing.TRIAL)),
    )
    store.record(said(HINT, Ruling.ROLL_BACK, 1.5))
    (one,) = shown(ask)
    assert (one["standing"], one["stood"]) == ("rolled_back", "trial")
    assert one["stands_since"] == (FIRST + timedelta(days=1.5)).isoformat().replace("+00:00", "Z")


def test_runs_that_nobody_decided_on_tell_of_no_change(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), night(1, query("q1", 20)), details=outlook(decided()))
    (one,) = shown(ask)
    assert (one["stands_since"], one["stood"]) == (None, None)


def test_what_runs_measured_has_its_interval(ask: Ask, store: Store) -> None:
    others = [query(f"q{n}", 10) for n in range(2, 9)]
    trial = decided(standing=Standing.TRIAL)
    nights = [night(0, query("q1", 20), *others)]
    nights += [night(n, query("q1", 11), *others, changes=[trial]) for n in (1, 2)]
    keep(store, *nights, details=outlook(trial))
    (one,) = shown(ask)
    assert one["measured"]["seconds"] == pytest.approx(9.0, abs=0.8)
    assert 0 < one["measured"]["low"] < 9.0 < one["measured"]["high"]
    assert (one["measured"]["runs"], one["measured"]["queries"]) == (2, 1)


def test_a_property_gains_on_queries_that_its_evidence_does_not_list(ask: Ask, store: Store) -> None:
    """By the policy's own ledger: what it moved beside the queries it is for is part of what is said to be gained."""
    usual = {f"q{n}": 10.0 for n in range(1, 23)} | {"q17": 34.9}
    plain = night(0, *(query(name, took) for name, took in usual.items()))
    trial = decided(PARTITIONS, Standing.TRIAL, queries=["q21"])
    tried = night(1, *(query(name, took) for name, took in {**usual, "q17": 6.6}.items()), changes=[trial])
    record = read_ledger(with_literal_classes([plain, tried]))[PARTITIONS.id]
    keep(store, plain, tried, details=outlook(record.now))
    (one,) = shown(ask)
    assert (one["standing"], [q["fingerprint"] for q in one["queries"]]) == ("promoted", ["q21"])
    assert one["gained_seconds"] == pytest.approx(28.3, rel=0.02)
    assert one["measured"]["seconds"] == pytest.approx(28.3, rel=0.05)
    assert (one["measured"]["queries"], one["measured"]["not_named"]) == (2, 1)
    assert one["reaches_all"]


def test_what_may_go_wrong_is_told_beside_the_risk_of_its_kind(ask: Ask, store: Store) -> None:
    one = decided(PARTITIONS, queries=["q1"])
    risky = replace(one, change=replace(one.change, risk=Risk.HIGH, prediction=Prediction(20.0, 18.0, 15.0, 21.5)))
    keep(store, night(0, query("q1", 20), query("q2", 5)), details=outlook(risky))
    (found,) = shown(ask)
    assert found["risk"] == "high"
    assert found["risks"] == [
        {"words": "may cost up to 1.5 s (predicted)", "may_harm": True},
        {"words": "reaches all 2 queries, meant for 1", "may_harm": False},
    ]


def test_one_count_is_told_everywhere(ask: Ask, store: Store) -> None:
    """An order and what needs it are one, on the page's figures, in its list and in words."""
    order, needing = decided(ORDER), decided(replace(HINT, target="a=b"), needs=ORDER.id)
    alone = hinted(1, Standing.PROMOTED)
    keep(store, night(0, query("q1", 20), mode=Mode.SUGGEST), details=outlook(order, needing, alone, mode=Mode.SUGGEST))
    cohort = ask().get("/api/cohort", params={"cohort": COHORT}).json()
    assert cohort["counts"] == {"proposed": 1, "promoted": 1}
    assert cohort["next_decision"] == "1 proposed, 1 promoted"
    assert len(shown(ask)) == 2


def test_in_mode_observe_the_next_run_is_told_apart_from_the_latest(ask: Ask, store: Store) -> None:
    trial = decided(standing=Standing.TRIAL)
    keep(store, night(0, query("q1", 20)), night(1, query("q1", 11), changes=[trial]), details=outlook(trial))
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", FIRST + timedelta(days=2)))
    cohort = ask().get("/api/cohort", params={"cohort": COHORT}).json()
    assert cohort["next_decision"] == "observed; 1 proposed"


def test_what_the_next_run_is_to_have_may_change_where_a_run_has_ended_since(ask: Ask, store: Store) -> None:
    def may_change() -> bool:
        found: bool = ask().get("/api/cohort", params={"cohort": COHORT}).json()["next_decision_may_change"]
        return found

    keep(store, night(0, query("q1", 20)), details=outlook(decided(standing=Standing.TRIAL)))
    assert not may_change()
    keep(store, night(1, state=RunState.RUNNING))
    assert not may_change(), "while it runs"
    keep(store, night(2, query("q1", 20), state=RunState.FAILED))
    assert may_change()
