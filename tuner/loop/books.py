"""What a cohort's runs come to, kept for lists of many cohorts: figures, what each change gained, where it stands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tuner.history.store import Store
from tuner.loop.known_runs import MOST_HISTORY_RUNS
from tuner.model.cohort_figures import Gained
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.model.run import Run, RunState
from tuner.model.saving import OF_SIZES, Saving
from tuner.policy.asked_executors import AskedExecutors, asked_executors
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.cohort_figures import cohort_figures
from tuner.policy.evidence.allocation import allocated
from tuner.policy.idle_runs import read_nothing, without_idle
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Key, Measured, measured_queries
from tuner.policy.savings import savings
from tuner.policy.usable import usable

# So many of a cohort's newest runs are told anew; of a mapped task with more all of so many DAG runs, which takes time after each
# of their instances.
BOOKED_RUNS = 60
BOOKED_DAG_RUNS = 3
# Of each query that never ran without something in these, so many older runs without it are the evidence.
CONTROL_RUNS = 5
# These are looked for among so many.
OLDER_RUNS = 50
# Stands among the changes of a query for any at all: of what is in force together each may have been left out, and never all.
ANY = "*"
# So many of the first runs after them tell what changes did on the machines of that time: those of today may be others.
FIRST_RUNS = 15


def keep_books(
    store: Store, cohort: str, outlook: Decision | None, key: str = "", most: int = BOOKED_RUNS
) -> Gained | None:
    """After a run of a cohort: `outlook` is the decision for the next (None: not known). Returns what was booked of the run with
    this key (None: nothing).

    What the newest runs gained is known better with every run, and told anew for up to `most` of them; a booking that no run
    tells of any more stays as it was, but for a loss that no change made after all.
    """
    of_dag_runs = store.runs_since(cohort, BOOKED_DAG_RUNS, MOST_HISTORY_RUNS)
    asked, there = max(most, of_dag_runs), store.count(cohort)
    runs = store.runs(cohort, asked, brief=True)
    if not runs:
        return None
    known = [*_older(store, cohort, runs, of_dag_runs // BOOKED_DAG_RUNS), *runs]
    told = _told_now(runs, key)
    own = {run.key: run.started_at for run in told}
    booked = [saving for saving in savings(known) if saving.run_key in own]
    # What another version wrote otherwise is left out of the runs: a failure may be one of its changes.
    is_any_unread = len(runs) < min(asked, there)
    failures = set[str]() if is_any_unread else _failures_told(runs, are_all=there <= asked) & own.keys()
    store.keep_books(cohort, cohort_figures(known), own, booked, _untold(runs, booked), failures)
    if outlook is not None:
        store.keep_stance(cohort, stance_of(outlook))
    return _together([saving for saving in booked if saving.run_key == key])


def _told_now(runs: Sequence[Run], key: str) -> Sequence[Run]:
    """The runs to tell of now. While other instances of its mapped task run, an instance tells of itself, and the last of all: as
    long as books are kept no other run of the cohort can begin."""
    own = next((run for run in runs if run.key == key), None)
    if own is None or own.origin is None or own.state is RunState.RUNNING:  # Its log is yet to land: earlier ones have.
        return runs
    origins = (run.origin for run in runs if run.state is RunState.RUNNING)
    return [own] if any(origin is not None and own.origin.is_beside(origin) for origin in origins) else runs


def _older(store: Store, cohort: str, runs: Sequence[Run], of_dag_run: int) -> list[Run]:
    """Runs from before these that tell what these cannot; of a mapped task, as many as a DAG run has are looked at."""
    if not any(run.decision.in_force or run.decision.sizes for run in runs):
        return []
    before = runs[0].started_at
    controls = _controls(store.never_booked(cohort, before, max(OLDER_RUNS, of_dag_run)), runs)
    if not controls:
        return []
    first = store.first_between(cohort, controls[-1].started_at, before, max(FIRST_RUNS, of_dag_run))
    return [*controls, *first]


def _controls(older: Sequence[Run], runs: Sequence[Run]) -> list[Run]:
    """Of each query the newest of the `older` runs that were without what it never ran without in `runs`, one change or all of
    them; the same of sizes."""
    # What found nothing to read tells of no other night.
    older = [run for run in older if not read_nothing(run, runs)]
    if not older:
        return []
    classed = with_literal_classes([*older, *runs])
    always, unasked = _always(classed[len(older) :]), _unasked(runs)
    found: Counter[tuple[Key | AskedExecutors, str]] = Counter()
    controls = []
    for run, of_classes in zip(reversed(older), reversed(classed[: len(older)]), strict=True):
        without: list[tuple[Key | AskedExecutors, str]] = [
            (query.key, id_)
            for query in _measured(of_classes)
            for id_ in always.get(query.key, frozenset()) - _in_force(query)
        ]
        if not run.decision.sizes and (asked := asked_executors(run)) in unasked:
            without.append((asked, OF_SIZES))
        if any(found[one] < CONTROL_RUNS for one in without):
            controls.append(run)
            found.update(without)
    return controls[::-1]


def _always(runs: Sequence[Run]) -> dict[Key, frozenset[str]]:
    """What was in force on a query whenever it ran."""
    found: dict[Key, frozenset[str]] = {}
    for run in runs:
        for query in _measured(run) if usable(run) else ():
            in_force = _in_force(query)
            # Older runs may not have its values.
            for key in {query.key, query.key_without_values}:
                found[key] = found.get(key, in_force) & in_force
    return found


def _measured(run: Run) -> list[Measured]:
    """Its queries, and with dynamic allocation what its executors held, as one more."""
    held = allocated(run)
    return [*measured_queries(run), *([held] if held else [])]


def _in_force(query: Measured) -> frozenset[str]:
    found = query.changes | query.properties
    return found | {ANY} if found else found


def _unasked(runs: Sequence[Run]) -> set[AskedExecutors]:
    """The author's sizes in whose place runs had others, and that none of them had."""
    told = without_idle([run for run in runs if usable(run)])
    sized = {asked_executors(run) for run in told if run.decision.sizes}
    return sized - {asked_executors(run) for run in told if not run.decision.sizes}


def _untold(runs: Sequence[Run], booked: Sequence[Saving]) -> set[tuple[str, str]]:
    """What runs had in force that `booked` does not tell of, though it tells of others in them: of a failure it tells all."""
    trials = {d.id: d.change.trial for run in runs for d in run.decision.changes}
    told = {(saving.run_key, saving.change_id) for saving in booked}
    of_runs = {key for key, _ in told}
    untold = set()
    for run in runs:
        if run.key in of_runs and usable(run):
            untold |= {(run.key, trials[d.id]) for d in changes_in_effect(run)}
            if run.decision.sizes:
                untold.add((run.key, OF_SIZES))
    return untold - told


def _failures_told(runs: Sequence[Run], *, are_all: bool) -> set[str]:
    """The keys of the failed runs of which these runs tell all: where there are older ones, those after one that succeeded."""
    first = 0 if are_all else next((number for number, run in enumerate(runs) if usable(run)), len(runs))
    return {run.key for run in runs[first:] if run.state is RunState.FAILED}


def _together(booked: Sequence[Saving]) -> Gained | None:
    if not booked:
        return None
    hours = [saving.core_hours for saving in booked if saving.core_hours is not None]
    deviation = math.sqrt(sum(saving.variance_of_run for saving in booked))
    return Gained(sum(saving.seconds for saving in booked), deviation, sum(hours) if hours else None)
