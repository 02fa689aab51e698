"""What changes gained, run by run, and summed by week: the ledger of all cohorts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select
from sqlalchemy.orm import Session

from tuner.history.cohort_rows import keep_figures, lock
from tuner.history.documents import Detail
from tuner.history.run_rows import read_runs, runs_of
from tuner.history.tables import RunRow, SavingRow, WeeklySavingRow
from tuner.history.weekly_sums import add_sums, sum_weeks, sums_of_forgotten, without_shares
from tuner.model.cohort_figures import CohortFigures
from tuner.model.run import Run, RunState
from tuner.model.saved import Saved, SavedByChange, SavedInWeek
from tuner.model.saving import Saving
from tuner.units import SECONDS_PER_HOUR

# Runs that nothing is booked of are looked for among so many of the newest, and of the oldest: a job of each minute has a million
# that are booked.
UNBOOKED_AMONG = 3000


def week_of(moment: datetime) -> str:
    """The Monday that a moment's week began with, in UTC: `2026-11-23`."""
    day = moment.astimezone(UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def keep_books(
    connection: Connection,
    cohort: str,
    figures: CohortFigures | None,
    started: Mapping[str, datetime],
    savings: Collection[Saving],
    untold: Collection[tuple[str, str]],
    told: Collection[str],
) -> None:
    """As `Store.keep_books`."""
    lock(connection, cohort)
    if figures is not None:
        keep_figures(connection, cohort, figures)
    kept = _booked_before(connection, cohort, untold)
    _replace_savings(connection, cohort, started, [*savings, *kept], told)


def _replace_savings(
    connection: Connection,
    cohort: str,
    started: Mapping[str, datetime],
    savings: Collection[Saving],
    told: Collection[str],
) -> None:
    """Puts `savings` in the place of what the runs that they are of had, and those of the keys `told`; these began as `started`
    says, by key."""
    replaced = {*(saving.run_key for saving in savings), *told}
    weeks = {week_of(started[key]) for key in replaced}
    forgotten = sums_of_forgotten(connection, cohort, weeks)
    if forgotten:
        # Of a run that was forgotten since it was read the sum has what was booked.
        there = set(connection.scalars(select(RunRow.key).where(RunRow.key.in_(replaced))))
        savings = [saving for saving in savings if saving.run_key in there]
        # So it has of one whose log was imported again, which is booked by itself from now on.
        booked = set(connection.scalars(_booked_of(cohort, replaced, SavingRow.run_key)))
        back = [saving for saving in savings if saving.run_key not in booked]
        shares = Counter((week_of(started[saving.run_key]), saving.change_id) for saving in back)
        forgotten = [rest for one in forgotten if (rest := without_shares(one, shares[one["week"], one["change_id"]]))]
    of_run = Counter(saving.run_key for saving in savings)
    connection.execute(delete(SavingRow).where(SavingRow.cohort == cohort, SavingRow.run_key.in_(replaced)))
    variances = dict[str, float]()
    for saving in savings:
        variances[saving.run_key] = variances.get(saving.run_key, 0.0) + saving.variance_of_run
    rows = [
        {
            "cohort": cohort,
            "at": started[saving.run_key],
            "week": week_of(started[saving.run_key]),
            "run_key": saving.run_key,
            "change_id": saving.change_id,
            "seconds": saving.seconds,
            "deviation": saving.deviation,
            "deviation_in_run": saving.variance_of_run / math.sqrt(variances[saving.run_key] or 1.0),
            "core_hours": saving.core_hours,
            "gib_hours": saving.gib_hours,
            "failed": int(saving.failed),
            "of_run": 1 / of_run[saving.run_key],
        }
        for saving in savings
    ]
    if rows:
        connection.execute(insert(SavingRow), rows)
    sum_weeks(connection, cohort, weeks)
    add_sums(connection, forgotten)


def _booked_before(connection: Connection, cohort: str, of: Collection[tuple[str, str]]) -> list[Saving]:
    """What is booked of runs and a change each."""
    if not of:
        return []
    booked = connection.execute(_booked_of(cohort, {key for key, _ in of}, *SavingRow.__table__.columns)).all()
    # A run's shares add up to its deviation, and each is its part of the variance over that.
    deviations = dict.fromkeys((row.run_key for row in booked), 0.0)
    for row in booked:
        deviations[row.run_key] += row.deviation_in_run
    return [
        Saving(
            row.run_key,
            row.change_id,
            row.seconds,
            row.deviation,
            row.core_hours,
            row.gib_hours,
            bool(row.failed),
            row.deviation_in_run * deviations[row.run_key],
        )
        for row in booked
        if (row.run_key, row.change_id) in of
    ]


def _booked_of(cohort: str, keys: Collection[str], *columns: Any) -> Select[Any]:
    return select(*columns).where(SavingRow.cohort == cohort, SavingRow.run_key.in_(keys))


def never_booked(cohort: str, before: datetime, limit: int, *, newest: bool) -> Select[Any]:
    """Keys of a cohort's runs that succeeded before a time and that no saving is booked of: the newest so many, or the oldest."""

    def in_order(started_at: Any, key: Any) -> tuple[Any, ...]:
        return (started_at.desc(), key.desc()) if newest else (started_at, key)

    columns: tuple[Any, ...] = (RunRow.key, RunRow.state, RunRow.started_at)
    runs = select(*columns).where(RunRow.cohort == cohort, RunRow.started_at < before)
    run = runs.order_by(*in_order(RunRow.started_at, RunRow.key)).limit(UNBOOKED_AMONG).subquery().c
    # NOT IN would be looked up in a list of all its bookings, for each run, where PostgreSQL has no memory for a hash of them.
    booked = select(SavingRow.id).where(SavingRow.cohort == cohort, SavingRow.run_key == run.key)
    wanted = select(run.key).where(run.state == RunState.SUCCEEDED.value, ~booked.exists())
    return wanted.order_by(*in_order(run.started_at, run.key)).limit(limit)


def read_never_booked(session: Session, cohort: str, before: datetime, limit: int) -> list[Run]:
    """As `Store.never_booked`."""
    keys = {
        key for newest in (True, False) for key in session.scalars(never_booked(cohort, before, limit, newest=newest))
    }
    return sorted(read_runs(session, runs_of(keys), Detail.TIMES), key=lambda run: (run.started_at, run.key))


def saved_by_week(session: Session, cohorts: Collection[str] | None, since: str) -> list[SavedInWeek]:
    """By cohort and week, from the week `since` on; of all cohorts where None are given. What is unsure of a change is so in
    every run alike, so that deviations add up over runs."""
    row = WeeklySavingRow
    rows = session.execute(
        _within(select(row.cohort, row.week, *_sums(row.deviation_in_run, row.of_run)), cohorts, since)
        .group_by(row.week, row.cohort)
        .order_by(row.week, row.cohort)
    )
    return [SavedInWeek(cohort, week, _saved(sums)) for cohort, week, *sums in rows]


def saved_by_change(session: Session, cohorts: Collection[str] | None, since: str, most: int) -> list[SavedByChange]:
    """As `saved_by_week`, by change: so many, those that gained or lost most, in hours of queries and of cores."""
    row, gained = (
        WeeklySavingRow,
        func.abs(func.sum(WeeklySavingRow.seconds / SECONDS_PER_HOUR + WeeklySavingRow.core_hours)),
    )
    times = func.min(row.first_at, type_=row.first_at.type), func.max(row.last_at, type_=row.last_at.type)
    rows = session.execute(
        _within(select(row.cohort, row.change_id, *times, *_sums(row.deviation, row.runs)), cohorts, since)
        .group_by(row.cohort, row.change_id)
        .order_by(gained.desc(), row.cohort, row.change_id)
        .limit(most)
    )
    return [SavedByChange(cohort, id_, _saved(sums), first, last) for cohort, id_, first, last, *sums in rows]


def read_last_runs_with(session: Session, changes: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Run]:
    """As `Store.last_runs_with`."""
    keys = _last_keys_with(session, changes)
    runs = {run.key: run for run in read_runs(session, runs_of(set(keys.values())), Detail.TIMES)}
    return {change: runs[key] for change, key in keys.items() if key in runs}


def _last_keys_with(session: Session, changes: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    row = WeeklySavingRow
    for cohort, change_id in changes:
        newest = select(row.last_key).where(row.cohort == cohort, row.change_id == change_id)
        key = session.scalar(newest.order_by(row.week.desc()).limit(1))
        if key is not None:
            found[cohort, change_id] = key
    return found


def _sums(deviation: Any, runs: Any) -> tuple[Any, ...]:
    row = WeeklySavingRow
    amounts = (row.seconds, deviation, row.lost_seconds, row.core_hours, row.gib_hours, runs, row.failed)
    return tuple(func.sum(amount) for amount in amounts)


def _saved(sums: Iterable[Any]) -> Saved:
    seconds, deviation, lost, core_hours, gib_hours, runs, failed = sums
    amounts = (float(seconds), float(deviation), float(lost), float(core_hours), float(gib_hours))
    return Saved(*amounts, runs=round(runs), failed=int(failed))


def _within(query: Select[Any], cohorts: Collection[str] | None, since: str) -> Select[Any]:
    query = query.where(WeeklySavingRow.week >= since)
    return query if cohorts is None else query.where(WeeklySavingRow.cohort.in_(list(cohorts)))
