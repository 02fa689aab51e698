"""The runs of a cohort that a decision looks at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from tuner.history.instance_runs import InstanceRuns
from tuner.history.store import Store
from tuner.loop.next_decision import LEARN_RUNS
from tuner.model.run import Origin, Run, RunMark
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.instances import latest_of_its_queries, queries_of_others

# Where a mapped task has more than HISTORY_RUNS in so many DAG runs, all of these: what one night showed, the next is to know,
# and beside the one under way they are as many as a change is tried in.
HISTORY_DAG_RUNS = 1 + MAX_TRIALS
# Reading and judging takes time with each: on 600 runs of 20 queries a decision takes 2.7 s of a core, on 60 0.4 s
# (tests/benchmarks/decision_speed.py). So no more than MANY_RUNS are of more than LEAST_DAG_RUNS, or of an outage.
MOST_HISTORY_RUNS = 600
MANY_RUNS = 400
LEAST_DAG_RUNS = 3
# A worker's clock that was further ahead is not believed: its run would be the latest one until then, and what it showed the last
# word.
AHEAD = timedelta(days=1)

_Started = TypeVar("_Started", Run, RunMark)


def known_runs(store: Store, cohort: str, origin: Origin | None = None) -> list[Run]:
    """Oldest first: as `Store.recent`, the newest LEARN_RUNS whole. Of a mapped instance that asks queries of its own as many are
    among these as of any task, however long ago they were."""
    instance = _read_for(origin) if origin and origin.instance else None
    return _begun(store.recent(cohort, number_known(store, cohort), LEARN_RUNS, instance))


def _read_for(origin: Origin) -> InstanceRuns:
    latest = partial(latest_of_its_queries, instance=origin.instance)

    def asks_its_own(runs: Sequence[Run]) -> bool:
        return latest(runs) is not None and bool(queries_of_others(runs, origin.instance))

    return InstanceRuns(origin, latest, asks_its_own, HISTORY_RUNS)


def known_marks(store: Store, cohort: str) -> list[RunMark]:
    """What tells the newest of these runs from others, oldest first: what an instance reads of its own from before has ended."""
    return _begun(store.marks(cohort, number_known(store, cohort)))


def number_known(store: Store, cohort: str) -> int:
    """How many of a cohort's newest runs these are."""
    several = store.runs_since(cohort, HISTORY_DAG_RUNS, MANY_RUNS)
    least = store.runs_since(cohort, LEAST_DAG_RUNS, MOST_HISTORY_RUNS) if several == MANY_RUNS else 0
    # What outages left no run of has neither shown anything nor made it forgotten.
    measured = store.runs_since_measured(cohort, LEARN_RUNS, MANY_RUNS)
    return max(HISTORY_RUNS, several, least, measured)


def _begun(runs: list[_Started]) -> list[_Started]:
    """Those that have begun; all where that are fewer than half: then it is this clock that is behind."""
    latest = datetime.now(UTC) + AHEAD
    found = [run for run in runs if run.started_at <= latest]
    return found if 2 * len(found) > len(runs) else runs
