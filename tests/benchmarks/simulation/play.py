"""Nights of one cohort, steered by the real policy: what each took, and what it would have taken otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.benchmarks.simulation.advisor import recommend
from tests.benchmarks.simulation.in_force import InForce, in_force_of
from tests.benchmarks.simulation.memory import Memory
from tests.benchmarks.simulation.night import Night
from tests.benchmarks.simulation.outcome import outcome_of
from tests.benchmarks.simulation.world import World, breaks, seconds
from tuner.model.decision import Decision
from tuner.model.run import Run, RunState

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Try:
    """One try of a night: its decision, what that truly put in force, and the seconds of its executions to their end."""

    night: Night
    decision: Decision
    in_force: tuple[InForce, ...]
    seconds: tuple[float, ...]
    failed: bool
    by_tuner: bool


def play(world: World, memory: Memory) -> Iterator[Try]:
    """Every try of every night, in order: as many as fail by themselves, and two."""
    for night in world.nights:
        for number in range(1, night.failing_tries + 3):
            key = f"{world.cohort}/{night.number}/{number}"
            decision = memory.decide(key, number, lambda runs: recommend(world, runs))
            in_force = in_force_of(world.candidates, decision.in_force, night.scale)
            by_itself, broken = number <= night.failing_tries, breaks(night, in_force)
            took = seconds(night, in_force)
            found = Try(night, decision, in_force, took, by_itself or broken, broken and not by_itself)
            memory.keep(_run(world, found, key, number))
            yield found
            if not found.failed:
                break


def _run(world: World, found: Try, key: str, number: int) -> Run:
    night = found.night
    started = MIDNIGHT + timedelta(days=night.number, hours=2 * (number - 1))
    state = RunState.FAILED if found.failed else RunState.LOST if night.loses_log else RunState.SUCCEEDED
    outcome = outcome_of(night, found.in_force, found.seconds, failed=found.failed, by_tuner=found.by_tuner)
    return Run(
        key=key,
        cohort=world.cohort,
        try_number=number,
        started_at=started,
        state=state,
        decision=found.decision,
        event_log_dir="",
        ended_at=started + timedelta(hours=1),
        outcome=None if night.loses_log else outcome,
    )


def tries_by_night(tries: Sequence[Try]) -> list[list[Try]]:
    """The tries of each night together."""
    nights: list[list[Try]] = []
    for one in tries:
        if nights and nights[-1][0].night is one.night:
            nights[-1].append(one)
        else:
            nights.append([one])
    return nights
