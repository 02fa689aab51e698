"""Runs that are taken out for good, and cohorts with all that is known of them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select
from sqlalchemy.orm import Session

from tuner.history.cohort_rows import count_out, lock, lock_unborn
from tuner.history.run_rows import lock_runs
from tuner.history.spoken_of import is_spoken_of
from tuner.history.tables import Base, RunRow, SavingRow, TimesRow
from tuner.model.run import RunState

# Every table that tells of cohorts by name: one that is added is among them.
_OF_COHORTS = tuple(table for table in Base.metadata.sorted_tables if "cohort" in table.c)
# Those with a row for each run are not needed for the names: other tables have these, too.
_OF_RUNS = frozenset({RunRow.__tablename__, SavingRow.__tablename__})


def read_names(session: Session) -> list[str]:
    """The names of all cohorts that anything is known of, sorted; of some there may be no run."""
    told = (select(table.c.cohort).distinct() for table in _OF_COHORTS if table.name not in _OF_RUNS)
    return sorted({name for one in told for name in session.scalars(one)})


def forget_runs(connection: Connection, cohort: str, keys: Collection[str], before: datetime) -> int:
    """As `Store.forget_runs`. What savings sum up by week stays: `saving_rows` knows how to tell weeks anew without them."""
    lock_runs(connection, keys)
    ended = (RunRow.state != RunState.RUNNING.value, RunRow.started_at < before)
    old = delete(RunRow).where(RunRow.key.in_(keys), RunRow.cohort == cohort, *ended)
    gone = list(connection.scalars(old.returning(RunRow.key)))
    lock(connection, cohort)
    if gone:
        connection.execute(delete(TimesRow).where(TimesRow.key.in_(gone)))
        connection.execute(delete(SavingRow).where(SavingRow.cohort == cohort, SavingRow.run_key.in_(gone)))
        count_out(connection, cohort, len(gone))
    return len(gone)


def forget_cohort(connection: Connection, cohort: str, keys: Collection[str], before: datetime) -> int | None:
    """As `Store.forget_cohort`. Where it lives the transaction is rolled back."""
    gone = forget_runs(connection, cohort, keys, before)
    # From here on no run of the cohort begins until this is done: it finds a cohort of which nothing is known.
    running, begun = RunRow.state == RunState.RUNNING.value, RunRow.started_at >= before
    if any(_has_run(connection, cohort, one) for one in (running, begun)) or is_spoken_of(connection, cohort, before):
        connection.rollback()
        return None
    if _has_run(connection, cohort):
        return gone
    # Where no run had it, none was there to be locked: one may have begun since it was looked for.
    lock_unborn(connection, cohort)
    if _has_run(connection, cohort):
        connection.rollback()
        return None
    for table in _OF_COHORTS:
        # What somebody says in this very moment stays.
        said_before = [table.c.at < before] if "at" in table.c else []
        connection.execute(delete(table).where(table.c.cohort == cohort, *said_before))
    return gone


def _has_run(connection: Connection, cohort: str, *like: ColumnElement[bool]) -> bool:
    return connection.scalar(select(RunRow.key).where(RunRow.cohort == cohort, *like).limit(1)) is not None
