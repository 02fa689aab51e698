"""Whether anybody said something of a cohort since it was looked at: of two who speak at once, the second looks again."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from tuner.errors import SpokenMeanwhileError
from tuner.history.cohort_rows import lock
from tuner.history.tables import ModeRow, VerdictRow


@dataclass(frozen=True, slots=True)
class LastWord:
    """The newest verdict, and the newest mode, by their rows; None where nobody said anything."""

    verdict: int | None
    mode: int | None


def last_word(connection: Connection, cohort: str) -> LastWord:
    newest = (select(func.max(table.id)).where(table.cohort == cohort) for table in (VerdictRow, ModeRow))
    return LastWord(*map(connection.scalar, newest))


def require_last_word(connection: Connection, cohort: str, since: LastWord) -> None:
    """SpokenMeanwhileError where there is a newer one. Nobody else passes here until the transaction ends."""
    lock(connection, cohort)
    if last_word(connection, cohort) != since:
        raise SpokenMeanwhileError(f"somebody spoke of cohort {cohort} meanwhile; look at it again")
