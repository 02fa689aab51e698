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
    return _turns(lambda store: store.pending_of(origin), job, store_url, most_seconds)


def outlived(origin: Origin, job: Callable[[Run], JobToRun], store_url: str, most_seconds: float) -> list[Turn]:
    """As `submitted`, the turns of a task instance's newest try where that failed and no log told how its jobs ended: they may
    have gone on."""
    return _turns(lambda store: _unended(store.runs_of(origin)), job, store_url, most_seconds)


def _unended(runs: Sequence[Run]) -> list[Run]:
    # What is lost was never submitted with its decision.
    runs = [run for run in runs if run.state is not RunState.LOST]
    newest = max((run.try_number for run in runs), default=0)
    failed = [run for run in runs if run.try_number == newest and run.state is RunState.FAILED]
    return [run for run in failed if run.outcome is None or run.outcome.duration_ms is None]


def _turns(
    found: Callable[[Store], Sequence[Run]], job: Callable[[Run], JobToRun], store_url: str, most_seconds: float
) -> list[Turn]:
    def turns() -> list[Turn]:
        with Store.open(store_url) as store:
            return [
                Turn(job(run), run.decision, Directives(), {}, run.event_log_dir, run.started_at)
                for run in found(store)
            ]

    with suppress(Exception):
        return within(most_seconds, turns)
    return []
