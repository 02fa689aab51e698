"""A job with what a person said of its cohort."""

from __future__ import annotations

from dataclasses import replace

from tuner.history.store import Store
from tuner.loop.turn import JobToRun


def as_told(store: Store, job: JobToRun) -> JobToRun:
    """The job in the mode, and by the objective, that a person chose for its cohort."""
    mode, objective = store.mode(job.cohort), store.objective(job.cohort)
    return replace(job, mode=mode or job.mode, objective=objective or job.objective)
