"""What runs' rows hold of plans, which is nearly all that a store holds: outcomes and details; and letting go of it.

Of a run whose plans were let go, `app_id` tells that there was an outcome; what its times rest on stays in a table of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Insert, and_, func, or_, select, update
from sqlalchemy.orm import Session

from tuner.history.documents import Detail, readable_outcome, times_document
from tuner.history.run_rows import lock_runs, newest_of
from tuner.history.tables import RunRow, TimesRow
from tuner.history.upsert import insert_into
from tuner.model.run import Outcome, RunState


@dataclass(frozen=True, slots=True)
class HeldPlans:
    """What so many runs hold of plans, in bytes as the database stores them (SQLite: characters)."""

    runs: int = 0
    bytes: int = 0

    def __add__(self, other: HeldPlans) -> HeldPlans:
        return HeldPlans(self.runs + other.runs, self.bytes + other.bytes)


def replace_times(key: str, outcome: Outcome, dialect: str) -> Insert:
    added = insert_into(TimesRow, dialect).values(key=key, times=times_document(key, outcome))
    return added.on_conflict_do_update(index_elements=[TimesRow.key], set_={"times": added.excluded["times"]})


def keys_with_plans(session: Session, cohort: str, before: datetime, newest: int) -> list[str]:
    """Of a cohort's ended runs that began before a time and hold plans, oldest first; none of its newest so many."""
    kept_since = session.scalar(newest_of(select(RunRow.started_at), cohort, 1, newest - 1))
    if kept_since is None:
        return []
    holds = or_(RunRow.outcome.is_not(None), RunRow.details.is_not(None))
    ended = RunRow.state != RunState.RUNNING.value
    held = select(RunRow.key).where(RunRow.cohort == cohort, ended, holds).order_by(RunRow.started_at, RunRow.key)
    return list(session.scalars(held.where(RunRow.started_at < min(before, kept_since))))


def plans_let_go(session: Session, key: str) -> bool:
    """Whether a run was measured and holds no plans any more."""
    gone = and_(RunRow.app_id.is_not(None), RunRow.outcome.is_(None))
    return session.scalar(select(RunRow.key).where(RunRow.key == key, gone)) is not None


def held_plans(connection: Connection, keys: Collection[str]) -> HeldPlans:
    """What the runs of these keys hold."""
    size = func.pg_column_size if connection.dialect.name == "postgresql" else func.length
    sizes = (func.coalesce(size(column), 0) for column in (RunRow.outcome, RunRow.details))
    runs, held = connection.execute(select(func.count(), func.sum(sum(sizes))).where(RunRow.key.in_(keys))).one()
    return HeldPlans(runs, int(held or 0))


def let_go(connection: Connection, keys: Collection[str]) -> HeldPlans:
    """Takes the plans out of the runs of these keys, and returns what they held. An outcome that cannot be read stays where it
    is all that tells of times."""
    lock_runs(connection, keys)
    timeless = set(_keep_times(connection, keys))
    gone = [key for key in keys if key not in timeless]
    held = held_plans(connection, gone)
    connection.execute(update(RunRow).where(RunRow.key.in_(gone)).values(outcome=None, details=None))
    return held


def _keep_times(connection: Connection, keys: Collection[str]) -> Iterator[str]:
    """Stores the times of runs that were stored before these were kept by themselves; the keys of those that cannot be read."""
    lacking = select(RunRow.key, RunRow.outcome).join(TimesRow, TimesRow.key == RunRow.key, isouter=True)
    lacking = lacking.where(RunRow.key.in_(keys), RunRow.outcome.is_not(None), TimesRow.key.is_(None))
    for key, document in connection.execute(lacking).all():
        outcome = readable_outcome(key, document or "", Detail.FULL)
        if outcome is None:
            yield key
        else:
            connection.execute(replace_times(key, outcome, connection.dialect.name))
