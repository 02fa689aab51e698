"""What could change the rows of a query is not put in force: numbers drawn by the places of rows are others elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.decision import Mode, Standing
from tuner.model.run import Run
from tuner.policy.decide import decide

from .histories import conf, decided, hint, in_force, recommend, run, situation, standings, told


def _drawing(found: Run, fingerprint: str) -> Run:
    assert found.outcome is not None
    queries = [
        replace(q, not_deterministic="rand") if q.fingerprint == fingerprint else q for q in found.outcome.queries
    ]
    return replace(found, outcome=replace(found.outcome, queries=tuple(queries)))


MINE, OTHER = hint("q1"), hint("q2")
BASE = _drawing(run(0, {"q1": 10, "q2": 10}), "q1")
HELD = "held: query q1 is not deterministic (rand): the change could alter its rows"


def test_neither_its_joins_nor_any_property_is_tried() -> None:
    advice = [recommend(conf(), queries=("q2",)), recommend(MINE), recommend(OTHER, queries=("q2",))]
    found = decide(situation(Mode.AUTO, 1, [BASE], advice))
    assert standings(found) == {conf().id: Standing.HELD, MINE.id: Standing.HELD, OTHER.id: Standing.TRIAL}
    assert {told(d).partition("; ")[2] for d in found.changes if d.standing is Standing.HELD} == {HELD}


def test_what_was_proven_before_is_taken_back() -> None:
    won = _drawing(run(1, {"q1": 4, "q2": 4}, decided(conf(), queries=("q1", "q2"))), "q1")
    found = decide(situation(Mode.AUTO, 1, [run(0, {"q1": 10, "q2": 10}), won]))
    assert standings(found) == {conf().id: Standing.HELD}


def test_a_query_that_the_latest_run_did_not_have_counts_as_it_last_ran() -> None:
    advice = [recommend(conf(), queries=("q2",)), recommend(OTHER, queries=("q2",))]
    without = run(1, {"q2": 10})
    found = decide(situation(Mode.AUTO, 1, [BASE, without], advice))
    assert standings(found) == {conf().id: Standing.HELD, OTHER.id: Standing.TRIAL}
    mended = [BASE, run(1, {"q1": 10, "q2": 10}), run(2, {"q2": 10})]
    assert in_force(decide(situation(Mode.AUTO, 1, mended, advice[:1]))) == {conf().id}


PROVEN = decided(conf(), Standing.PROMOTED, queries=("q2",))


def _nights(drawing: Collection[int], number: int, hours: int = 24) -> list[Run]:
    """So many runs, all but the first with a proven property, in some of which a query draws."""
    found = []
    for night in range(number):
        seconds, changes = {"q2": 10 if night else 20}, [PROVEN] * bool(night)
        one = run(night, {"q1": 10, **seconds} if night in drawing else seconds, *changes)
        took = timedelta(minutes=10)
        started = one.started_at + night * (timedelta(hours=hours) - timedelta(days=1))
        one = replace(one, started_at=started, ended_at=started + took)
        found.append(_drawing(one, "q1") if night in drawing else one)
    return found


@pytest.mark.parametrize(
    ("drawing", "nights", "is_held"),
    [
        pytest.param({0}, 37, False, id="once, and away for longer than a month"),
        pytest.param({0}, 9, True, id="may come each month"),
        pytest.param({29}, 60, True, id="on the first of a month"),
        pytest.param({1, 29}, 60, True, id="on two of them"),
        pytest.param({0, 41}, 80, True, id="came back after longer"),
        pytest.param({0, 41}, 84, False, id="away for longer than ever"),
    ],
)
def test_a_property_waits_for_a_query_that_draws_as_long_as_that_may_come_back(
    drawing: Collection[int], nights: int, is_held: bool
) -> None:
    runs = _nights(drawing, nights)
    assert in_force(decide(situation(Mode.AUTO, 1, runs))) == (set() if is_held else {conf().id})
    of_its_own = [recommend(MINE)]
    assert MINE.id not in in_force(decide(situation(Mode.AUTO, 1, runs, of_its_own)))


def test_what_comes_once_a_day_in_a_job_of_each_hour_comes_again() -> None:
    assert not in_force(decide(situation(Mode.AUTO, 1, _nights({0}, 24, hours=1))))
