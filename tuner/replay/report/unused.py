"""What cohorts ask for of memory and executors and never use, for a report's front page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.replay.cohort_replay import CohortReplay

# As many as somebody would read; `spark-tuner replay --resources --json` has all.
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Unused:
    """Of a cohort, or of all (""): what executors held, and of it what Spark saw never in use (`unused_gib_hours` of the
    `sampled_gib_hours` in which it looked) and the cores that ran no task. `needed_executors` of the `executors` of its newest
    run would do; 0 where the log does not tell."""

    cohort: str
    runs: int
    held_gib_hours: float
    sampled_gib_hours: float
    unused_gib_hours: float
    held_core_hours: float
    idle_core_hours: float
    executors: int = 0
    needed_executors: int = 0


def unused(cohorts: Iterable[CohortReplay]) -> list[Unused]:
    """All cohorts as one, then each whose logs tell how long executors were there, most idle core-hours first."""
    told = [c for c in cohorts if c.resources.held_runs]
    if not told:
        return []
    each = sorted(map(_unused, told), key=lambda u: (-u.idle_core_hours, -u.unused_gib_hours, u.cohort))
    total = Unused(
        "",
        sum(u.runs for u in each),
        sum(u.held_gib_hours for u in each),
        sum(u.sampled_gib_hours for u in each),
        sum(u.unused_gib_hours for u in each),
        sum(u.held_core_hours for u in each),
        sum(u.idle_core_hours for u in each),
    )
    return [total, *each[:MOST_SHOWN]]


def _unused(cohort: CohortReplay) -> Unused:
    found = cohort.resources
    return Unused(
        cohort.cohort,
        found.held_runs,
        found.held_gib_hours,
        found.sampled_gib_hours,
        found.unused_gib_hours,
        found.held_core_hours,
        found.idle_core_hours,
        found.executors,
        found.needed_executors,
    )
