"""The objectives that people gave cohorts: what changes are judged by."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from tuner.history.documents import of_kind, readable_rows
from tuner.history.tables import ObjectiveRow
from tuner.model.objective import Objective
from tuner.model.verdict import ObjectiveChange


def add_objective(connection: Connection, change: ObjectiveChange) -> None:
    """Adds what a person wants a cohort's changes judged by."""
    connection.execute(
        insert(ObjectiveRow).values(
            cohort=change.cohort,
            objective=change.objective.value if change.objective else "",
            by=change.by,
            at=change.at,
            reason=change.reason,
        )
    )


def read_objectives(session: Session, cohort: str) -> list[ObjectiveChange]:
    """What people wanted a cohort's changes judged by, oldest first; without those that cannot be read."""
    said = select(ObjectiveRow).where(ObjectiveRow.cohort == cohort).order_by(ObjectiveRow.id)
    return list(readable_rows(session.scalars(said), _change, lambda row: f"an objective of cohort {row.cohort}"))


def _change(row: ObjectiveRow) -> ObjectiveChange:
    at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
    reason = of_kind(str, row.reason, "reason")
    return ObjectiveChange(row.cohort, Objective(row.objective) if row.objective else None, by, at, reason)
