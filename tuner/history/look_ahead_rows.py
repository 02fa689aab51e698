"""Look-aheads: what was decided for the next run of each cohort, with a digest that tells whether it is as it was written."""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import Connection, select
from sqlalchemy.orm import Session

from tuner.history.documents import look_ahead_document, readable_look_ahead
from tuner.history.tables import LookAheadRow
from tuner.history.upsert import insert_into
from tuner.model.look_ahead import LookAhead


def replace_look_ahead(connection: Connection, cohort: str, look_ahead: LookAhead) -> None:
    """Puts it in the place of the cohort's last one. StoreError for one that would not be read again as it is."""
    document = look_ahead_document(cohort, look_ahead)
    row = {"cohort": cohort, "digest": document_digest(document), "document": document}
    added = insert_into(LookAheadRow, connection.dialect.name).values(**row)
    replaced = {name: added.excluded[name] for name in ("digest", "document")}
    connection.execute(added.on_conflict_do_update(index_elements=[LookAheadRow.cohort], set_=replaced))


def read_look_ahead(session: Session, cohort: str) -> LookAhead | None:
    """What was decided for a cohort's next run; None where nothing was, or it is not as it was written."""
    kept = select(LookAheadRow.digest, LookAheadRow.document).where(LookAheadRow.cohort == cohort)
    row = session.execute(kept).first()
    is_whole = row is not None and isinstance(row.document, str) and document_digest(row.document) == row.digest
    return readable_look_ahead(row.document) if row is not None and is_whole else None


def document_digest(document: str) -> str:
    """What a document is stored with."""
    return sha256(document.encode(errors="replace")).hexdigest()
