"""Whether people have said anything of a cohort since a time."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from tuner.history.documents import readable_import
from tuner.history.tables import ImportRow, ModeRow, ObjectiveRow, VerdictRow

_SAID: tuple[type[VerdictRow | ModeRow | ObjectiveRow], ...] = (VerdictRow, ModeRow, ObjectiveRow)


def is_spoken_of(connection: Connection, cohort: str, since: datetime) -> bool:
    """Whether anybody ruled on a change of a cohort, gave it a mode or an objective, or imported a baseline for it."""
    said = (select(row.id).where(row.cohort == cohort, row.at >= since).limit(1) for row in _SAID)
    if any(connection.scalar(one) is not None for one in said):
        return True
    documents = connection.scalars(select(ImportRow.document).where(ImportRow.cohort == cohort))
    imported = (readable_import(cohort, document) for document in documents)
    # One that another version wrote otherwise may be of yesterday.
    return any(one is None or one.at >= since for one in imported)
