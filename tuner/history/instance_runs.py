"""What a decision for one instance of a mapped task reads of its cohort beside the newest runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from tuner.history.tables import RunRow
from tuner.model.run import Origin, Run

# A database reads the rows of all instances to find those of one.
_AMONG = 3000


@dataclass(frozen=True, slots=True)
class InstanceRuns:
    """Of the newest runs (oldest first) `latest` is the one that the decision rests on, and whole. Where the instance of this
    `origin` `asks_its_own` queries by these, the newest so many `earlier` runs of it are read as well."""

    origin: Origin
    latest: Callable[[Sequence[Run]], Run | None]
    asks_its_own: Callable[[Sequence[Run]], bool]
    earlier: int


def keys_before(session: Session, of: InstanceRuns, first: Run) -> list[str]:
    """The keys of the instance's newest runs before a run of its cohort."""
    columns: tuple[Any, ...] = (RunRow.key, RunRow.started_at, RunRow.dag_id, RunRow.task_id, RunRow.map_index)
    before: Select[Any] = select(*columns).where(RunRow.cohort == first.cohort, RunRow.started_at < first.started_at)
    among = before.order_by(RunRow.started_at.desc(), RunRow.key.desc()).limit(_AMONG).subquery().c
    of_it = (
        among.dag_id == of.origin.dag_id,
        among.task_id == of.origin.task_id,
        among.map_index == of.origin.map_index,
    )
    newest = select(among.key).where(*of_it).order_by(among.started_at.desc(), among.key.desc()).limit(of.earlier)
    return list(session.scalars(newest))
