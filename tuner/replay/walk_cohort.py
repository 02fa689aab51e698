"""One cohort walked, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tuner.problems import Problems
from tuner.replay.cohort_replay import CohortReplay, LoggedRun, ReplayedRun
from tuner.replay.spool import Encoded, StoredRuns, encoded
from tuner.replay.totals import CohortTotals
from tuner.replay.walk import Walker


@dataclass(frozen=True, slots=True)
class CohortToWalk:
    """A cohort's runs, and the first of them as an earlier walk replayed them: what came since changes nothing of these."""

    logged: StoredRuns[LoggedRun]
    walked: StoredRuns[ReplayedRun] | None


@dataclass(frozen=True, slots=True)
class WalkedCohort:
    """What a walk came to (None: there was no run), its runs as replayed but for those that had been, in time order, and a line
    for each problem."""

    replay: CohortReplay | None
    runs: tuple[Encoded, ...]
    problems: tuple[str, ...]


def walk_cohort(cohort: CohortToWalk, walker: Walker) -> WalkedCohort:
    """What goes wrong in a cohort is its problem, and stops no other. Memory: the runs that a decision looks at, and what was
    decided at each run."""
    problems, runs = Problems(), list[Encoded]()
    walk = partial(_walked, cohort, walker, problems, runs)
    replay = problems.guard(f"replay cohort {cohort.logged.cohort}", walk, None)
    return WalkedCohort(replay, tuple(runs) if replay else (), tuple(problems.found))


def _walked(cohort: CohortToWalk, walker: Walker, problems: Problems, runs: list[Encoded]) -> CohortReplay | None:
    totals = CohortTotals(cohort.logged.cohort)
    known, walked = (len(cohort.walked.orders), cohort.walked.runs()) if cohort.walked else (0, ())
    steps = walker.walk(cohort.logged.runs(), problems, walked)
    while True:
        try:
            run = next(steps)
        except StopIteration as end:
            return totals.result(end.value) if totals.runs else None
        totals.take(run)
        if totals.runs > known:
            runs.append(encoded(run))
