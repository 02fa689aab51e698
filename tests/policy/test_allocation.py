"""The core time that a run's executors hold: what it takes out, and what it is worth under each objective."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tuner.model.decision import DecidedChange, Standing
from tuner.model.objective import Objective
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record
from tuner.spark.knobs import DYNAMIC_ALLOCATION

from .histories import GB, conf, decided, run, told

ACTION = conf()
TRIAL, PROMOTED = decided(ACTION), decided(ACTION, Standing.PROMOTED)
ELASTIC = {DYNAMIC_ALLOCATION.property: "true"}
FIXED: dict[str, str] = {}


def held(
    night: int,
    seconds: float,
    core_hours: float | None,
    *changes: DecidedChange,
    objective: Objective = Objective.TIME,
    conf: dict[str, str] = ELASTIC,
    input_bytes: int = GB,
) -> Run:
    """A run whose query took so long, and whose executors held so much."""
    found = run(night, {"q1": seconds, "q2": 10}, *changes, input_bytes=input_bytes)
    assert found.outcome is not None
    core_ms = None if core_hours is None else round(core_hours * 3_600_000)
    return replace(
        found,
        decision=replace(found.decision, objective=objective),
        outcome=replace(found.outcome, allocated_core_ms=core_ms, conf=conf),
    )


def nights(
    without: Sequence[tuple[float, float | None]],
    with_it: Sequence[tuple[float, float | None]],
    change: DecidedChange = TRIAL,
    objective: Objective = Objective.TIME,
    conf: dict[str, str] = ELASTIC,
) -> Record:
    """What is known of a change after runs without it and runs with it: seconds of its query and core-hours of each."""
    before = [held(n, *took, objective=objective, conf=conf) for n, took in enumerate(without)]
    after = [held(n, *took, change, objective=objective, conf=conf) for n, took in enumerate(with_it, len(before))]
    return read_ledger([*before, *after])[ACTION.id]


USUAL: list[tuple[float, float | None]] = [(10.0, 2.0), (10.1, 2.1), (9.9, 1.9)]


@pytest.mark.parametrize("objective", Objective)
def test_what_is_faster_and_surely_holds_more_is_taken_out(objective: Objective) -> None:
    found = nights(USUAL, [(6.0, 4.2)] * 3, objective=objective)
    assert (found.standing, found.why.code) == (Standing.ROLLED_BACK, ReasonCode.ALLOCATED_MORE)
    assert told(found).startswith("executors held 4.2 core-hours in run etl/5/1, about 2 without it ")
    assert told(found).endswith(" (over 99% sure of more)")


def test_one_night_that_held_much_is_one_night() -> None:
    assert nights(USUAL, [(6.0, 4.2)]).why.code is ReasonCode.FASTER
    assert nights(USUAL, [(6.0, 4.2), (6.0, 2.0), (6.0, 2.1)], PROMOTED).standing is Standing.PROMOTED


def test_of_changes_that_do_nothing_to_it_hardly_any_is_blamed() -> None:
    chance = random.Random(1)

    def noisy(seconds: float) -> tuple[float, float]:
        return seconds * math.exp(chance.gauss(0, 0.05)), 2 * math.exp(chance.gauss(0, 0.15))

    def is_blamed() -> bool:
        before, after = [noisy(10.0) for _ in range(4)], [noisy(6.0) for _ in range(12)]
        found = (nights(before, after[:count], PROMOTED) for count in range(1, len(after) + 1))
        return any(one.why.code is ReasonCode.ALLOCATED_MORE for one in found)

    assert sum(is_blamed() for _ in range(20)) <= 1


def test_a_little_more_in_one_night_is_noise() -> None:
    found = nights(USUAL, [(6.0, 2.5)])
    assert (found.standing, found.why.code) == (Standing.PROMOTED, ReasonCode.FASTER)


def test_what_holds_more_night_after_night_is_taken_out_however_much_less_it_is_than_in_one() -> None:
    found = nights(USUAL * 3, [(6.0, 2.6)] * 6, PROMOTED)
    assert (found.standing, found.why.code) == (Standing.ROLLED_BACK, ReasonCode.ALLOCATED_MORE)


@pytest.mark.parametrize("core_hours", [0.5, 4.0, None])
def test_where_executors_are_fixed_decisions_are_the_same_for_every_objective(core_hours: float | None) -> None:
    found = [nights(USUAL, [(6.0, core_hours)], objective=each, conf=FIXED) for each in Objective]
    unknown = [nights([(s, None) for s, _ in USUAL], [(6.0, None)], objective=each) for each in Objective]
    assert all(one == found[0] for one in (*found, *unknown))
    assert found[0].standing is Standing.PROMOTED


def test_a_night_that_found_nothing_to_read_tells_nothing_of_what_executors_hold() -> None:
    before = [held(n, *took) for n, took in enumerate(USUAL)]
    empty = [held(n, 0.3, 0.1, PROMOTED, input_bytes=0) for n in (3, 4, 5)]
    tried = [held(n, 6.0, 4.0, PROMOTED) for n in (6, 7, 8)]
    found, without = (read_ledger([*before, *nights, *tried])[ACTION.id] for nights in (empty, []))
    assert found.why == without.why
    assert found.why.code is ReasonCode.ALLOCATED_MORE


def test_a_day_with_more_to_read_may_hold_more() -> None:
    before = [held(n, *took) for n, took in enumerate(USUAL)]
    found = read_ledger([*before, held(3, 20.0, 6.2, TRIAL, input_bytes=3 * GB)])[ACTION.id]
    assert found.why.code is not ReasonCode.ALLOCATED_MORE


@pytest.mark.parametrize(
    ("objective", "standing"),
    [
        (Objective.TIME, Standing.PROMOTED),
        (Objective.BALANCED, Standing.PROMOTED),
        (Objective.COST, Standing.TRIAL),
    ],
)
def test_under_cost_a_gain_of_time_that_likely_holds_more_is_not_enough(
    objective: Objective, standing: Standing
) -> None:
    assert nights(USUAL, [(6.0, 2.3)], objective=objective).standing is standing


def test_and_after_its_trials_it_is_taken_out_for_that() -> None:
    found = nights(USUAL, [(6.0, 2.15)] * (MAX_TRIALS + 1), objective=Objective.COST)
    assert (found.standing, found.why.code) == (Standing.ROLLED_BACK, ReasonCode.ALLOCATED_MORE)


@pytest.mark.parametrize(
    ("objective", "standing"),
    [(Objective.TIME, Standing.TRIAL), (Objective.COST, Standing.PROMOTED), (Objective.BALANCED, Standing.PROMOTED)],
)
def test_what_surely_holds_less_is_worth_it_where_cost_counts(objective: Objective, standing: Standing) -> None:
    found = nights(USUAL, [(10.0, 0.8)] * 3, objective=objective)
    assert found.standing is standing
    if standing is Standing.PROMOTED:
        assert found.why.code is ReasonCode.ALLOCATED_LESS
        assert told(found).endswith("(over 99% sure of less)")


@pytest.mark.parametrize("objective", Objective)
def test_no_core_hours_are_worth_a_slower_query(objective: Objective) -> None:
    assert nights(USUAL, [(14.0, 0.8)], objective=objective).now.held
    found = nights(USUAL, [(14.0, 0.8)] * 2, objective=objective)
    assert (found.standing, found.why.code) == (Standing.ROLLED_BACK, ReasonCode.SLOWER)
