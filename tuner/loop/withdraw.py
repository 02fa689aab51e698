"""Runs that were prepared and not submitted, or submitted and not harvested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.loop.turn import JobToRun, Turn
from tuner.model.run import Origin, Run, RunState
from tuner.steering.directives import Directives
from tuner.within_time import within


def withdraw(turns: Sequence[Turn], store_url: str) -> None:
    """Record that prepared runs, of one task, were never submitted with their decisions: they tell nothing of these. Never
    raises."""

    def withdrawn() -> None:
        with Store.open(store_url) as store:
            for turn in turns:
                with suppress(StoreError):  # One that was not decided in time may never have been recorded.
                    store.finish(turn.job.key, RunState.LOST, datetime.now(UTC), None)

    with suppress(Exception):
        within(turns[0].job.most_seconds.after_run(), withdrawn)


def forget(turns: Sequence[Turn], store_url: str) -> None:
    """Take prepared runs, of one task, that were never submitted out of the history. Never raises."""
    forget_jobs([turn.job for turn in turns], store_url)


def forget_jobs(jobs: Sequence[JobToRun], store_url: str) -> None:
    def forgotten() -> None:
        with Store.open(store_url) as store:
            for job in jobs:
                store.forget(job.key)

    with suppress(Exception):
        within(jobs[0].most_seconds.after_run(), forgotten)


def submitted(origin: Origin, job: Callable[[Run], JobToRun], store_url: str, most_seconds: float) -> list[Turn]:
    """The turns of a task instance whose jobs were submitted and not harvested yet, by another process maybe; none where the
    history store does not tell within `most_seconds`. Never raises. `job` is what is known of a run's job now."""

    def pending() -> list[Turn]:
        with Store.open(store_url) as store:
            return [
                Turn(job(run), run.decision, Directives(), {}, run.event_log_dir, run.started_at)
                for run in store.pending_of(origin)
            ]

    with suppress(Exception):
        return within(most_seconds, pending)
    return []
