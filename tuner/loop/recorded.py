"""A prepared run, recorded as running."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto
from functools import partial

from tuner.errors import TriedMeanwhileError
from tuner.history.store import Store
from tuner.loop.preparing import Preparing
from tuner.loop.steered import Steered, unsteered
from tuner.loop.turn import JobToRun
from tuner.model.run import Run, RunState
from tuner.within_time import Consent


class _Begun(Enum):
    """What came of recording a run."""

    RECORDED = auto()
    NOT_RECORDED = auto()
    TRIED_MEANWHILE = auto()


def recorded(
    store: Store, preparing: Preparing, job: JobToRun, steering: Steered, decided_with: Collection[str]
) -> Steered | None:
    """The steering, once it is recorded: what is not cannot be verified or rolled back, and then nothing is in force.
    `decided_with` are the keys of the runs that it rests on: TriedMeanwhileError as Store.begin raises it."""
    run = preparing.turn(job, steering, ()).run
    begin = partial(_begin, store, run, preparing.waited_for, job.tags, decided_with)
    begun = preparing.problems.guard("record the run", begin, _Begun.NOT_RECORDED)
    if begun is _Begun.RECORDED:
        return steering
    if begun is _Begun.TRIED_MEANWHILE:
        raise TriedMeanwhileError(f"a run that began meanwhile tries a change of run {run.key}")
    unrecorded = partial(unsteered, job, preparing.place, "not recorded")
    return preparing.problems.guard("observe the run", unrecorded, None)


def _begin(
    store: Store, run: Run, waited_for: Consent, tags: Collection[str] | None, decided_with: Collection[str]
) -> _Begun:
    """Whether the run is recorded: what is decided too late for the job to have it never is."""
    try:
        begun = store.begin(run, waited_for.take, tags, decided_with)
    except TriedMeanwhileError:
        return _Begun.TRIED_MEANWHILE
    if begun and waited_for.withdrawn:
        store.finish(run.key, RunState.LOST, run.started_at, None)
    return _Begun.RECORDED if begun else _Begun.NOT_RECORDED
