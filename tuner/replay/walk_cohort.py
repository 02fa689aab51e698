"""One cohort walked, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.problems import Problems
from tuner.replay.cohort_replay import CohortReplay, LoggedRun
from tuner.replay.spool import Encoded, StoredRuns, encoded
from tuner.replay.totals import CohortTotals
from tuner.replay.walk import Walker


@dataclass(frozen=True, slots=True)
class WalkedCohort:
    """What a walk came to (None: there was no run), its runs as replayed, in time order, and a line for each problem."""

    replay: CohortReplay | None
    runs: tuple[Encoded, ...]
    problems: tuple[str, ...]


def walk_cohort(stored: StoredRuns[LoggedRun], walker: Walker) -> WalkedCohort:
    """Memory: the runs that a decision looks at, and what was decided at each run."""
    totals, problems, runs = CohortTotals(stored.cohort), Problems(), list[Encoded]()
    steps = walker.walk(stored.runs(), problems)
    while True:
        try:
            run = next(steps)
        except StopIteration as end:
            replay = totals.result(end.value) if totals.runs else None
            return WalkedCohort(replay, tuple(runs), tuple(problems.found))
        runs.append(encoded(run))
        totals.take(run)
