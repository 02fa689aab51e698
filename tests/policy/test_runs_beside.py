"""Instances of a mapped task, and dates of a backfill, had one machine in its one hour: they are told of as one night."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.decision import DecidedChange
from tuner.model.run import Origin, Run
from tuner.policy.baseline import baseline_of, baselines
from tuner.policy.judgement import judge
from tuner.policy.ledger import read_ledger
from tuner.policy.measured_gain import MeasuredGain, RunsSoFar
from tuner.policy.runs_beside import RunsBeside
from tuner.policy.savings import savings

from .histories import MIDNIGHT, decided, hint, run

HINT = decided(hint("q1"))
# So many that none of them tells by chance how fast the machine was.
USUAL = {f"q{n}": 10.0 for n in range(1, 9)}
WITH_HINT = {"q1": 4.0}
INSTANCES = 10


def instance(number: int, started: timedelta, seconds: dict[str, float], *changes: DecidedChange) -> Run:
    """Its processors do the same work in any time that q1 takes: for the rest of that its tasks wait."""
    found = run(number, USUAL | seconds, *changes)
    assert found.outcome
    queries = (
        replace(q, executor_run_ms=int(8e3 * q.seconds), executor_cpu_ms=24_000 if q.fingerprint == "q1" else 80_000)
        for q in found.outcome.queries
    )
    at = MIDNIGHT + started
    outcome = replace(found.outcome, queries=tuple(queries))
    return replace(found, started_at=at, ended_at=at + timedelta(minutes=10), outcome=outcome)


def runs(apart: timedelta, count: int = INSTANCES) -> list[Run]:
    """Some without the hint, and later as many with it."""
    later = timedelta(days=count)
    without = [instance(n, n * apart, {}) for n in range(count)]
    return [*without, *(instance(count + n, later + n * apart, WITH_HINT, HINT) for n in range(count))]


ONE_EACH, BESIDE, NIGHTS = runs(timedelta(), 1), runs(timedelta(minutes=1)), runs(timedelta(days=1))


def gain(found: Sequence[Run]) -> MeasuredGain:
    told = RunsSoFar.of(found).gain([HINT])
    assert told
    return told


def in_all(found: Sequence[Run]) -> float:
    return gain(found).seconds


def in_its_latest_run(found: Sequence[Run]) -> float:
    told = judge(found[-1], found[:-1]).gained_seconds
    assert told
    return told


def saved(found: Sequence[Run]) -> float:
    return savings(found)[-1].seconds


def by_the_band(found: Sequence[Run]) -> float:
    told = baselines(found)[found[-1].key]
    assert told == baseline_of(found[-1], found)
    return told.expected - sum((USUAL | WITH_HINT).values())


@pytest.mark.parametrize("gained", [in_all, in_its_latest_run, saved, by_the_band])
def test_many_instances_of_one_night_bear_out_the_clock_no_better_than_one(
    gained: Callable[[Sequence[Run]], float],
) -> None:
    """One night's tasks may have waited without the hint for reasons of that night; those of ten nights hardly did each time."""
    assert gained(NIGHTS) > 2.0
    assert gained(BESIDE) == pytest.approx(gained(ONE_EACH), abs=0.1)


def test_they_are_one_of_the_runs_that_a_gain_is_told_of() -> None:
    assert (gain(NIGHTS).runs, gain(BESIDE).runs) == (INSTANCES, 1)


def test_what_is_told_of_a_run_is_what_is_decided_by_it() -> None:
    few = [*BESIDE[:2], *BESIDE[INSTANCES : INSTANCES + 2]]
    assert in_its_latest_run(few) == pytest.approx(read_ledger(few)[HINT.id].gain_seconds)


def test_a_run_is_beside_any_before_it_that_had_not_ended() -> None:
    beside, long = RunsBeside(), replace(NIGHTS[0], ended_at=NIGHTS[0].started_at + timedelta(hours=30))
    assert [beside.add(one) for one in (long, *NIGHTS[1:3])] == [False, True, False]


HOUR, LONGER = timedelta(hours=1), timedelta(minutes=65)


def test_an_hourly_job_that_takes_longer_than_an_hour_is_not_one_run_for_ever() -> None:
    """Each began before the one before it had ended, over days."""
    beside = RunsBeside()
    assert [beside.add(ended(instance(n, n * HOUR, {}), LONGER)) for n in range(10)] == 5 * [False, True]


def test_instances_of_one_dag_run_are_one_in_however_many_waves_they_start() -> None:
    waves = [of_dag_run("first", n, (n // 4) * HOUR) for n in range(12)]
    beside = RunsBeside()
    assert [beside.add(one) for one in waves] == [False, *11 * [True]]
    next_dag_run = [of_dag_run("second", n, 3 * HOUR) for n in range(2)]
    assert [beside.add(one) for one in next_dag_run] == [False, True]


def ended(one: Run, took: timedelta) -> Run:
    return replace(one, ended_at=one.started_at + took)


def of_dag_run(run_id: str, number: int, started: timedelta) -> Run:
    """One of several instances of a mapped task, of which four have a slot at once."""
    return replace(ended(instance(number, started, {}), LONGER), origin=Origin("etl", run_id, "load", number))
