"""The modes that people gave cohorts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, insert, select
from sqlalchemy.orm import Session

from tuner.history.documents import UNTOLD_TIME, of_kind, of_kind_or, skipped
from tuner.history.tables import ModeRow
from tuner.model.decision import Mode
from tuner.model.verdict import ModeChange


def add_mode(connection: Connection, change: ModeChange) -> None:
    """Adds the mode that a person gave a cohort."""
    connection.execute(
        insert(ModeRow).values(
            cohort=change.cohort,
            mode=change.mode.value if change.mode else "",
            by=change.by,
            at=change.at,
            reason=change.reason,
        )
    )


def modes_of(cohort: str) -> Select[Any]:
    """Of a cohort, oldest first."""
    return select(ModeRow).where(ModeRow.cohort == cohort).order_by(ModeRow.id)


def modes_within(cohorts: Collection[str]) -> Select[Any]:
    """Of several cohorts, oldest first."""
    return select(ModeRow).where(ModeRow.cohort.in_(cohorts)).order_by(ModeRow.id)


def read_modes(session: Session, query: Select[Any]) -> list[ModeChange]:
    """The modes of one of the queries above. One that cannot be read counts as observe: whoever gave it wanted no older one."""
    return [_change(row) for row in session.scalars(query)]


def _change(row: ModeRow) -> ModeChange:
    try:
        return _as_written(row)
    except ValueError as error:
        skipped(f"a mode of cohort {row.cohort}", error, "counts as observe")
        at, by = of_kind_or(datetime, row.at, UNTOLD_TIME), of_kind_or(str, row.by, "")
        return ModeChange(row.cohort, Mode.OBSERVE, by, at, of_kind_or(str, row.reason, ""))


def _as_written(row: ModeRow) -> ModeChange:
    at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
    reason = of_kind(str, row.reason, "reason")
    return ModeChange(row.cohort, None if row.mode == "" else Mode(row.mode), by, at, reason)
