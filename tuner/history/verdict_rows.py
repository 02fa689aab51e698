"""Verdicts: what people said of changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, insert, select
from sqlalchemy.orm import Session

from tuner.history.documents import of_kind, readable_rows
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
    """The verdicts of one of the queries above; without those that cannot be read."""
    return list(readable_rows(session.scalars(query), _verdict, lambda row: f"a verdict on {row.change_id}"))


def _verdict(row: VerdictRow) -> Verdict:
    at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
    change_id, reason = of_kind(str, row.change_id, "change"), of_kind(str, row.reason, "reason")
    return Verdict(row.cohort, change_id, Ruling(row.ruling), by, at, reason)
