"""The runs of a cohort that a decision looks at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from tuner.history.store import Store
from tuner.loop.next_decision import HISTORY_RUNS, LEARN_RUNS
from tuner.model.run import Run, RunMark

# Where a mapped task has more than HISTORY_RUNS in so many DAG runs, all of these: what one night showed, the next is to know,
# and what that showed, the one after it.
HISTORY_DAG_RUNS = 3
# Reading and judging takes time with each: on 600 runs of 20 queries a decision takes 2.7 s of a core, on 60 0.4 s
# (tests/benchmarks/decision_speed.py).
MOST_HISTORY_RUNS = 600
# A worker's clock that was further ahead is not believed: its run would be the latest one until then, and what it showed the last
# word.
AHEAD = timedelta(days=1)

_Started = TypeVar("_Started", Run, RunMark)


def known_runs(store: Store, cohort: str) -> list[Run]:
    """Oldest first: as `Store.recent`, the newest LEARN_RUNS whole."""
    return _begun(store.recent(cohort, number_known(store, cohort), LEARN_RUNS))


def known_marks(store: Store, cohort: str) -> list[RunMark]:
    """What tells these runs from others, oldest first."""
    return _begun(store.marks(cohort, number_known(store, cohort)))


def number_known(store: Store, cohort: str) -> int:
    """How many of a cohort's newest runs these are."""
    return max(HISTORY_RUNS, store.runs_since(cohort, HISTORY_DAG_RUNS, MOST_HISTORY_RUNS))


def _begun(runs: list[_Started]) -> list[_Started]:
    """Those that have begun; all where that are fewer than half: then it is this clock that is behind."""
    latest = datetime.now(UTC) + AHEAD
    found = [run for run in runs if run.started_at <= latest]
    return found if 2 * len(found) > len(runs) else runs
