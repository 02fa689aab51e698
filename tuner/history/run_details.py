"""What finished runs have for people to look at."""

from __future__ import annotations

from sqlalchemy import Connection, select, update
from sqlalchemy.orm import Session

from tuner.errors import StoreError
from tuner.history.documents import readable_details
from tuner.history.tables import RunRow
from tuner.model.run import RunDetails


def keep_details(connection: Connection, key: str, document: str) -> None:
    """StoreError for a run that never began."""
    if connection.execute(update(RunRow).where(RunRow.key == key).values(details=document)).rowcount != 1:
        raise StoreError(f"run {key} is not in the history store: it never began, so it has no details")


def read_details(session: Session, key: str) -> RunDetails | None:
    """None where the run with this key has none, or none that can be read."""
    document = session.scalar(select(RunRow.details).where(RunRow.key == key))
    return readable_details(key, document) if document else None
