"""Which runs of a cohort began long ago and are looked at no more, and whether it has run since then at all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from tuner.history.run_columns import USUAL_RUNS
from tuner.history.saving_rows import UNBOOKED_AMONG
from tuner.history.spoken_of import is_spoken_of
from tuner.history.tables import RunRow, SavingRow
from tuner.history.weekly_sums import last_booked
from tuner.model.run import RunState


@dataclass(frozen=True, slots=True)
class LooksAt:
    """Which runs of a cohort decisions and books read: its `newest`; of those before that succeeded and that no saving is booked
    of, as many of the newest as of the oldest; and the first so many that succeeded after one of these."""

    newest: int
    never_booked: int
    first_after: int


@dataclass(frozen=True, slots=True)
class OldRuns:
    """`keys` of runs, oldest first: of a cohort that `is_retired` all there are, else those that began before a time, have ended
    and are looked at no more. `is_unended`: the cohort were retired, had its runs ended."""

    keys: tuple[str, ...] = ()
    is_retired: bool = False
    is_unended: bool = False


@dataclass(frozen=True, slots=True)
class _Old:
    """A run as its columns tell it."""

    key: str
    state: str
    started_at: datetime
    ended_at: datetime | None
    is_measured: bool
    is_booked: bool
    instance: tuple[str, str, str, int] | None

    @property
    def is_running(self) -> bool:
        return self.state == RunState.RUNNING

    @property
    def has_succeeded(self) -> bool:
        return self.state == RunState.SUCCEEDED


def read_old_runs(session: Session, cohort: str, before: datetime, looks_at: LooksAt) -> OldRuns:
    """As `Store.old_runs`."""
    rows = session.execute(_rows(cohort)).all()
    runs = [_old(*row) for row in rows if isinstance(row.started_at, datetime)]
    lives = len(runs) < len(rows) or any(_lives_since(run, before) for run in runs)
    is_silent = not lives and not is_spoken_of(session.connection(), cohort, before)
    is_unended = any(run.is_running for run in runs)
    if is_silent and not is_unended:
        return OldRuns(tuple(run.key for run in runs), is_retired=True)
    kept = {*_looked_at(runs, looks_at), *last_booked(session, cohort)}
    old = (run for run in runs if run.started_at < before and not run.is_running)
    return OldRuns(tuple(run.key for run in old if run.key not in kept), is_unended=is_silent)


def _lives_since(run: _Old, before: datetime) -> bool:
    return run.started_at >= before or (run.ended_at is not None and run.ended_at >= before)


def _looked_at(runs: Sequence[_Old], looks_at: LooksAt) -> Iterator[str]:
    """The keys of those that something reads; `runs` are oldest first."""
    # One more than is read: who reads the newest is to know that there were others.
    first = max(0, len(runs) - looks_at.newest - 1)
    older, newest = runs[:first], runs[first:]
    yield from (run.key for run in newest)
    yield from _evidence(older, looks_at)
    yield from _usual(runs)
    # Whether an earlier try failed is asked of a task instance that runs again, however late.
    again = {run.instance for run in newest if run.instance}
    yield from (run.key for run in older if run.instance in again)


def _evidence(older: Sequence[_Old], looks_at: LooksAt) -> Iterator[str]:
    """What tells of runs without changes, and what came right after them."""
    succeeded = [run for run in older if run.has_succeeded]
    starts = [run.started_at for run in succeeded]
    for run in _never_booked(older, looks_at.never_booked):
        yield run.key
        after = bisect_right(starts, run.started_at)
        yield from (one.key for one in succeeded[after : after + looks_at.first_after])


def _never_booked(runs: Sequence[_Old], most: int) -> Iterator[_Old]:
    """The first so many, and the last, as `Store.never_booked` finds them."""
    oldest, newest = (
        [run for run in part if run.has_succeeded and not run.is_booked]
        for part in (runs[:UNBOOKED_AMONG], runs[-UNBOOKED_AMONG:])
    )
    yield from oldest[:most]
    yield from newest[max(0, len(newest) - most) :]


def _usual(runs: Sequence[_Old]) -> Iterator[str]:
    """What tells how long a run takes; of those that began at once any may be asked."""
    measured = [run for run in runs if run.is_measured]
    since = measured[-USUAL_RUNS:]
    return (run.key for run in measured if run.started_at >= since[0].started_at)


def _rows(cohort: str) -> Select[Any]:
    """A cohort's runs, oldest first."""
    booked = select(SavingRow.id).where(SavingRow.cohort == cohort, SavingRow.run_key == RunRow.key).exists()
    columns: Collection[Any] = (
        RunRow.key,
        RunRow.state,
        RunRow.started_at,
        RunRow.ended_at,
        RunRow.duration_ms.is_not(None),
        booked,
        RunRow.dag_id,
        RunRow.run_id,
        RunRow.task_id,
        RunRow.map_index,
    )
    return select(*columns).where(RunRow.cohort == cohort).order_by(RunRow.started_at, RunRow.key)


def _old(
    key: str,
    state: str,
    started_at: datetime,
    ended_at: datetime | None,
    is_measured: bool,
    is_booked: bool,
    dag_id: str | None,
    run_id: str | None,
    task_id: str | None,
    map_index: int | None,
) -> _Old:
    instance = None
    if dag_id is not None and run_id is not None and task_id is not None:
        instance = (dag_id, run_id, task_id, -1 if map_index is None else map_index)
    return _Old(key, state, started_at, ended_at, bool(is_measured), bool(is_booked), instance)
