"""Proofs: what cohorts have shown, query by query, for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.orm import Session

from tuner.history.cohort_rows import lock
from tuner.history.documents import proof_document, readable_proof
from tuner.history.tables import ProofRow, RunRow
from tuner.model.proof import Proof
from tuner.model.run import RunMark, RunState

# Of a query so many cohorts' proofs are read, for each that is looked at.
_PROOFS_OF_A_QUERY = 10


def proof_rows(cohort: str, proofs: Iterable[Proof]) -> list[dict[str, Any]]:
    """What a cohort has shown as rows. StoreError for what could not be read again."""
    return [
        {
            "cohort": cohort,
            "query": proof.query,
            "told_at": proof.told_at,
            "gained_seconds": proof.gained_seconds,
            "proof": proof_document(proof),
        }
        for proof in proofs
    ]


def replace_proofs(
    connection: Connection, cohort: str, rows: Sequence[dict[str, Any]], known: Sequence[RunMark] = ()
) -> None:
    """As `Store.prove`."""
    lock(connection, cohort)  # Mapped instances end together.
    if known and connection.scalar(_ended_since(cohort, known)) is not None:
        return
    connection.execute(delete(ProofRow).where(ProofRow.cohort == cohort))
    if rows:
        connection.execute(insert(ProofRow), rows)


def _ended_since(cohort: str, known: Sequence[RunMark]) -> Any:
    """A run of the cohort that has ended, and had not when it had these, oldest first; what is lost tells nothing."""
    untold = (RunState.RUNNING.value, RunState.LOST.value)
    ended = [mark.key for mark in known if mark.state not in untold]
    told = (RunRow.cohort == cohort, RunRow.started_at >= known[0].started_at, RunRow.state.not_in(untold))
    return select(RunRow.key).where(*told, RunRow.key.not_in(ended)).limit(1)


def read_proofs(session: Session, cohort: str, since: datetime, queries: int) -> list[Proof]:
    """What other cohorts have shown since then, of up to so many queries: those that gained most, that first."""
    others = (ProofRow.cohort != cohort, ProofRow.told_at >= since)
    gained = func.max(ProofRow.gained_seconds)
    best = select(ProofRow.query).where(*others, ProofRow.gained_seconds > 0).group_by(ProofRow.query)
    names = list(session.scalars(best.order_by(gained.desc(), ProofRow.query).limit(queries)))
    told = select(ProofRow.cohort, ProofRow.proof).where(*others, ProofRow.query.in_(names))
    told = told.order_by(ProofRow.gained_seconds.desc(), ProofRow.cohort, ProofRow.query)
    told = told.limit(_PROOFS_OF_A_QUERY * queries)
    read = [readable_proof(name, document) for name, document in session.execute(told)]
    return [proof for proof in read if proof is not None]
