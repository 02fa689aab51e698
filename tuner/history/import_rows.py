"""Changes that cohorts imported from baselines of others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Session

from tuner.history.documents import import_document, readable_import
from tuner.history.tables import ImportRow
from tuner.model.imported_change import ImportedChange


def import_rows(imported: Collection[ImportedChange]) -> list[dict[str, Any]]:
    """Imported changes as rows. StoreError for what could not be read again."""
    return [{"cohort": one.cohort, "change_id": one.change.id, "document": import_document(one)} for one in imported]


def replace_imports(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Puts each of these in the place of what its cohort imported of the same change before."""
    for row in rows:
        before = (ImportRow.cohort == row["cohort"], ImportRow.change_id == row["change_id"])
        connection.execute(delete(ImportRow).where(*before))
    if rows:
        connection.execute(insert(ImportRow), rows)


def read_imports(session: Session, cohort: str) -> list[ImportedChange]:
    """The changes that a cohort imported, by their ids; without those that cannot be read."""
    told = select(ImportRow.document).where(ImportRow.cohort == cohort).order_by(ImportRow.id)
    read = [readable_import(cohort, document) for document in session.scalars(told)]
    newest = {one.change.id: one for one in read if one is not None}
    return [newest[id_] for id_ in sorted(newest)]
