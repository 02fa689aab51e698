"""Nights of one cohort, steered by the real policy: what each took, and what it would have taken otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.benchmarks.simulation.advisor import recommend
from tests.benchmarks.simulation.memory import Memory
from tests.benchmarks.simulation.outcome import outcome_of
from tests.benchmarks.simulation.world import Candidate, Night, World, breaks
from tuner.model.decision import Decision
from tuner.model.run import Run, RunState

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
MOST_TRIES = 2


@dataclass(frozen=True, slots=True)
class Try:
    """One try of a night: its decision, what that truly put in force, and the seconds of its queries to their end."""

    night: Night
    decision: Decision
    in_force: tuple[Candidate, ...]
    seconds: Mapping[str, float]
    failed: bool
    by_tuner: bool


def play(world: World, memory: Memory) -> Iterator[Try]:
    """Every try of every night, in order. A try that fails is repeated once, as Airflow would."""
    for night in world.nights:
        for number in range(1, MOST_TRIES + 1):
            key = f"{cohort_of(world)}/{night.number}/{number}"
            decision = memory.decide(key, number, lambda runs: recommend(world, runs))
            in_force = tuple(world.in_force(decision.actions))
            by_chance, by_tuner = night.fails and number == 1, breaks(night, in_force)
            found = Try(
                night,
                decision,
                in_force,
                world.seconds(night, in_force),
                by_chance or by_tuner,
                by_tuner and not by_chance,
            )
            memory.keep(_run(world, found, key, number))
            yield found
            if not found.failed:
                break


def cohort_of(world: World) -> str:
    """The name of a world's cohort."""
    return f"simulated.{world.number}"


def _run(world: World, found: Try, key: str, number: int) -> Run:
    night = found.night
    started = MIDNIGHT + timedelta(days=night.number, hours=2 * (number - 1))
    state = RunState.FAILED if found.failed else RunState.LOST if night.loses_log else RunState.SUCCEEDED
    return Run(
        key=key,
        cohort=cohort_of(world),
        try_number=number,
        started_at=started,
        state=state,
        decision=found.decision,
        event_log_dir="",
        ended_at=started + timedelta(hours=1),
        outcome=None if night.loses_log else outcome_of(world, night, found.in_force, failed=found.failed),
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
