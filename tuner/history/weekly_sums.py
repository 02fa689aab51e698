"""What the savings of a cohort's runs come to by week and change; of runs that were forgotten the sums tell alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, delete, func, insert, select, update
from sqlalchemy.orm import Session

from tuner.history.tables import SavingRow, WeeklySavingRow

_SUMMED = ("seconds", "deviation", "deviation_in_run", "failed", "of_run")
_KNOWN = ("core_hours", "gib_hours")
_AMOUNTS = (*_SUMMED, *_KNOWN, "lost_seconds", "runs")
_KEPT = tuple(column for column in WeeklySavingRow.__table__.columns if column.name != "id")


def sum_weeks(connection: Connection, cohort: str, weeks: Collection[str]) -> None:
    """Sums up what is booked in these weeks, in place of the sums that were."""
    connection.execute(delete(WeeklySavingRow).where(*_within(cohort, weeks)))
    names = [column.name for column in _KEPT]
    connection.execute(insert(WeeklySavingRow).from_select(names, _sums(cohort, weeks)))


def sums_of_forgotten(connection: Connection, cohort: str, weeks: Collection[str]) -> list[dict[str, Any]]:
    """What the sums of these weeks have of runs whose bookings are gone, by week and change."""
    kept = connection.execute(select(*_KEPT).where(*_within(cohort, weeks))).all()
    # To sum up all that is booked takes ten times as long as to count it: a mapped task has tens of thousands a week.
    there = {(week, change_id): runs for week, change_id, runs in connection.execute(_counts(cohort, weeks))}
    lacking = [row for row in kept if there.get((row.week, row.change_id), 0) < row.runs]
    if not lacking:
        return []
    booked = {(row.week, row.change_id): row for row in connection.execute(_sums(cohort, weeks))}
    return [_without(row, booked.get((row.week, row.change_id))) for row in lacking]


def without_shares(one: dict[str, Any], runs: int) -> dict[str, Any] | None:
    """A sum of forgotten runs without so many of them, by equal shares: what each had is not known. None where none is left."""
    left = max(0, one["runs"] - runs)
    rest = {name: one[name] * left / one["runs"] for name in _AMOUNTS}
    return one | rest | {"failed": round(rest["failed"]), "runs": left} if left else None


def add_sums(connection: Connection, sums: Iterable[dict[str, Any]]) -> None:
    """Adds these to what is summed of the same cohorts, weeks and changes."""
    for one in sums:
        same = [getattr(WeeklySavingRow, name) == one[name] for name in ("cohort", "week", "change_id")]
        there = connection.execute(select(*_KEPT).where(*same)).first()
        if there is None:
            connection.execute(insert(WeeklySavingRow).values(**one))
        else:
            connection.execute(update(WeeklySavingRow).where(*same).values(**_together(one, there._asdict())))


def last_booked(session: Session, cohort: str) -> set[str]:
    """Of each change of a cohort, the key of the newest run that a saving is booked of: by its decision the change is told."""
    row = WeeklySavingRow
    newest = select(row.change_id, row.last_key).where(row.cohort == cohort).order_by(row.week)
    last = {found.change_id: found.last_key for found in session.execute(newest)}
    return set(last.values())


def _within(cohort: str, weeks: Collection[str]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return WeeklySavingRow.cohort == cohort, WeeklySavingRow.week.in_(list(weeks))


def _counts(cohort: str, weeks: Collection[str]) -> Select[Any]:
    of_it = (SavingRow.cohort == cohort, SavingRow.week.in_(list(weeks)))
    columns: tuple[Any, ...] = (SavingRow.week, SavingRow.change_id)
    return select(*columns, func.count()).where(*of_it).group_by(*columns)


def _sums(cohort: str, weeks: Collection[str]) -> Select[Any]:
    """What is booked, as the columns of `_KEPT`."""
    row = SavingRow
    newest_first = (row.at.desc(), row.run_key.desc())
    place = func.row_number().over(partition_by=(row.week, row.change_id), order_by=newest_first).label("place")
    booked = select(*row.__table__.columns, place).where(row.cohort == cohort, row.week.in_(list(weeks)))
    c = booked.subquery().c
    sums: dict[str, ColumnElement[Any]] = {
        "cohort": c.cohort,
        "week": c.week,
        "change_id": c.change_id,
        **{name: func.sum(c[name]) for name in _SUMMED},
        **{name: func.coalesce(func.sum(c[name]), 0.0) for name in _KNOWN},
        "lost_seconds": func.sum(case((c.seconds < 0, -c.seconds), else_=0.0)),
        "runs": func.count(),
        "first_at": func.min(c.at),
        "last_at": func.max(c.at),
        "last_key": func.max(case((c.place == 1, c.run_key))),
    }
    named = [sums[column.name].label(column.name) for column in _KEPT]
    return select(*named).group_by(c.cohort, c.week, c.change_id)


def _without(row: Row[Any], there: Row[Any] | None) -> dict[str, Any]:
    """A sum without what is still booked of it."""
    rest = {name: getattr(row, name) - getattr(there, name) for name in _AMOUNTS} if there is not None else {}
    return row._asdict() | rest


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    newest = max(one, other, key=lambda row: (row["last_at"], row["last_key"]))
    return {
        **{name: one[name] + other[name] for name in _AMOUNTS},
        "first_at": min(one["first_at"], other["first_at"]),
        "last_at": newest["last_at"],
        "last_key": newest["last_key"],
    }
