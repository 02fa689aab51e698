"""Verdicts: what people said of changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, insert, select
from sqlalchemy.orm import Session

from tuner.history.documents import UNTOLD_TIME, of_kind, of_kind_or, readable_rows, skipped
from tuner.history.tables import VerdictRow
from tuner.model.verdict import Ruling, Verdict


def add_verdicts(connection: Connection, verdicts: Iterable[Verdict]) -> None:
    """Adds what people said of changes."""
    for verdict in verdicts:
        connection.execute(
            insert(VerdictRow).values(
                cohort=verdict.cohort,
                change_id=verdict.change_id,
                ruling=verdict.ruling.value,
                by=verdict.by,
                at=verdict.at,
                reason=verdict.reason,
            )
        )


def verdicts_of(cohort: str) -> Select[Any]:
    """On the changes of a cohort, oldest first."""
    return select(VerdictRow).where(VerdictRow.cohort == cohort).order_by(VerdictRow.id)


def verdicts_within(cohorts: Collection[str]) -> Select[Any]:
    """On the changes of several cohorts, oldest first."""
    return select(VerdictRow).where(VerdictRow.cohort.in_(cohorts)).order_by(VerdictRow.id)


def read_verdicts(session: Session, query: Select[Any]) -> list[Verdict]:
    """The verdicts of one of the queries above. One that cannot be read counts as reject; without those that name no change."""
    return list(readable_rows(session.scalars(query), _verdict, lambda row: f"a verdict of cohort {row.cohort}"))


def _verdict(row: VerdictRow) -> Verdict:
    change_id = of_kind(str, row.change_id, "change")
    try:
        return _as_written(row, change_id)
    except ValueError as error:
        skipped(f"a verdict on {change_id}", error, "counts as reject")
        at, by = of_kind_or(datetime, row.at, UNTOLD_TIME), of_kind_or(str, row.by, "")
        return Verdict(row.cohort, change_id, Ruling.REJECT, by, at, of_kind_or(str, row.reason, ""))


def _as_written(row: VerdictRow, change_id: str) -> Verdict:
    at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
    return Verdict(row.cohort, change_id, Ruling(row.ruling), by, at, of_kind(str, row.reason, "reason"))
