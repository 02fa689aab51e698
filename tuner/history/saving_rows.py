"""What changes gained, run by run and summed: the ledger of all cohorts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, case, delete, distinct, func, insert, select
from sqlalchemy.orm import Session

from tuner.history.tables import SavingRow
from tuner.model.saved import Saved, SavedByChange, SavedInWeek
from tuner.model.saving import Saving


def week_of(moment: datetime) -> str:
    """The Monday that a moment's week began with, in UTC: `2026-11-23`."""
    day = moment.astimezone(UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def replace_savings(
    connection: Connection, cohort: str, started: Mapping[str, datetime], savings: Collection[Saving]
) -> None:
    """Puts `savings` in the place of all that these runs (when they began, by key) had."""
    connection.execute(delete(SavingRow).where(SavingRow.cohort == cohort, SavingRow.run_key.in_(list(started))))
    squares: dict[str, float] = {}
    for saving in savings:
        squares[saving.run_key] = squares.get(saving.run_key, 0.0) + saving.deviation**2
    rows = [
        {
            "cohort": cohort,
            "at": started[saving.run_key],
            "week": week_of(started[saving.run_key]),
            "run_key": saving.run_key,
            "change_id": saving.change_id,
            "seconds": saving.seconds,
            "deviation": saving.deviation,
            "deviation_in_run": saving.deviation**2 / math.sqrt(squares[saving.run_key] or 1.0),
            "core_hours": saving.core_hours,
            "gib_hours": saving.gib_hours,
            "failed": int(saving.failed),
        }
        for saving in savings
    ]
    if rows:
        connection.execute(insert(SavingRow), rows)


def saved_by_week(session: Session, cohorts: Collection[str] | None, since: str) -> list[SavedInWeek]:
    """By cohort and week, from the week `since` on; of all cohorts where None are given. What is unsure of a change is so in
    every run alike, so that deviations add up over runs."""
    rows = session.execute(
        _within(select(SavingRow.cohort, SavingRow.week, *_sums(SavingRow.deviation_in_run)), cohorts, since)
        .group_by(SavingRow.cohort, SavingRow.week)
        .order_by(SavingRow.week, SavingRow.cohort)
    )
    return [SavedInWeek(row[0], row[1], _saved(row[2:])) for row in rows]


def saved_by_change(session: Session, cohorts: Collection[str] | None, since: str, most: int) -> list[SavedByChange]:
    """As `saved_by_week`, by change: so many, those that gained or lost most."""
    seconds = func.sum(SavingRow.seconds)
    times = func.min(SavingRow.at, type_=SavingRow.at.type), func.max(SavingRow.at, type_=SavingRow.at.type)
    rows = session.execute(
        _within(select(SavingRow.cohort, SavingRow.change_id, *times, *_sums(SavingRow.deviation)), cohorts, since)
        .group_by(SavingRow.cohort, SavingRow.change_id)
        .order_by(func.abs(seconds).desc(), SavingRow.cohort, SavingRow.change_id)
        .limit(most)
    )
    return [SavedByChange(row[0], row[1], _saved(row[4:]), row[2], row[3]) for row in rows]


def last_runs_with(session: Session, changes: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """By cohort and change, the key of the newest run that a saving is booked of."""
    found: dict[tuple[str, str], str] = {}
    for cohort, change_id in changes:
        newest = select(SavingRow.run_key).where(SavingRow.cohort == cohort, SavingRow.change_id == change_id)
        key = session.scalar(newest.order_by(SavingRow.at.desc()).limit(1))
        if key is not None:
            found[cohort, change_id] = key
    return found


def _sums(deviation: Any) -> tuple[Any, ...]:
    hours = (func.coalesce(func.sum(column), 0.0) for column in (SavingRow.core_hours, SavingRow.gib_hours))
    runs = func.count(distinct(SavingRow.run_key))
    lost = func.sum(case((SavingRow.seconds < 0, -SavingRow.seconds), else_=0.0))
    return func.sum(SavingRow.seconds), func.sum(deviation), lost, *hours, runs, func.sum(SavingRow.failed)


def _saved(sums: Iterable[Any]) -> Saved:
    *amounts, runs, failed = sums
    return Saved(*map(float, amounts), int(runs), int(failed))


def _within(query: Select[Any], cohorts: Collection[str] | None, since: str) -> Select[Any]:
    query = query.where(SavingRow.week >= since)
    return query if cohorts is None else query.where(SavingRow.cohort.in_(list(cohorts)))
