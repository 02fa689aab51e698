"""What the columns of runs tell, for which no document of theirs is read."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta
from itertools import islice
from statistics import median
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from tuner.history.run_rows import newest_of
from tuner.history.tables import RunRow
from tuner.model.run import Origin, RunMark, RunState

# How long a run takes is told by the newest so many whose logs tell.
USUAL_RUNS = 5
# What of a DAG run began longer before its last is what it was before somebody cleared it.
DAG_RUN_TAKES = timedelta(days=7)

# Of a job's runs so many of the newest are looked through for what most of them have.
_NEWEST_LOOKED_AT = 1000


def usual_ms(session: Session, cohort: str) -> float:
    """As `Store.usual_ms`."""
    columns: tuple[Any, ...] = (RunRow.key, RunRow.started_at, RunRow.duration_ms)
    run = newest_of(select(*columns), cohort, _NEWEST_LOOKED_AT).subquery().c
    told = select(run.duration_ms).where(run.duration_ms.is_not(None)).order_by(run.started_at.desc(), run.key.desc())
    found = session.scalars(told.limit(USUAL_RUNS)).all()
    return median(ms for ms in found if ms is not None) if found else 0.0


def runs_since(session: Session, cohort: str, dag_runs: int, most: int) -> int:
    """How many of a cohort's newest runs, `most` at most, go back to the first of its latest runs of a DAG."""
    columns: tuple[Any, ...] = (RunRow.run_id, RunRow.started_at)
    of_dags = newest_of(select(*columns).where(RunRow.run_id.is_not(None)), cohort, most)
    # A start that cannot be read is no time.
    runs = [(run_id, at) for run_id, at in session.execute(of_dags) if isinstance(at, datetime)]
    ends: dict[str, datetime] = {}
    for run_id, started_at in runs:
        ends.setdefault(run_id, started_at)
    latest = dict(list(ends.items())[:dag_runs])
    of_latest = (
        place
        for place, (run_id, started_at) in enumerate(runs, 1)
        if run_id in latest and started_at >= latest[run_id] - DAG_RUN_TAKES
    )
    return max(of_latest, default=0)


def runs_since_measured(session: Session, cohort: str, measured: int, most: int) -> int:
    """How many of a cohort's newest runs, `most` at most, go back to the first of its latest `measured` that succeeded and were
    measured."""
    columns: tuple[Any, ...] = (RunRow.state, RunRow.app_id)
    newest = enumerate(session.execute(newest_of(select(*columns), cohort, most)), 1)
    places = (place for place, row in newest if _is_measured(row))
    return max(islice(places, measured), default=0)


def marks_of(session: Session, cohort: str, limit: int) -> list[RunMark]:
    """What tells the newest runs of a cohort from others, oldest first."""
    columns: tuple[Any, ...] = tuple(getattr(RunRow, field.name) for field in fields(RunMark))
    return [RunMark(*row) for row in session.execute(newest_of(select(*columns), cohort, limit))][::-1]


def key_before(session: Session, cohort: str, key: str) -> str | None:
    """As `Store.key_before`."""
    columns: tuple[Any, ...] = (
        RunRow.key,
        RunRow.state,
        RunRow.app_id,
        RunRow.dag_id,
        RunRow.task_id,
        RunRow.map_index,
    )
    newest_first = session.execute(newest_of(select(*columns), cohort, _NEWEST_LOOKED_AT)).all()
    at = next((place for place, row in enumerate(newest_first) if row.key == key), None)
    if at is None:
        return None
    instance, older = _instance(newest_first[at]), newest_first[at + 1 :]
    before = [row for row in older if _is_measured(row)]
    of_it = (row for row in before if _instance(row) == instance)
    found = next(of_it, before[0] if before else None)
    return None if found is None else str(found.key)


def _is_measured(row: Row[Any]) -> bool:
    return row.state == RunState.SUCCEEDED and row.app_id is not None


def _instance(row: Row[Any]) -> str:
    return Origin(row.dag_id, "", row.task_id, row.map_index if isinstance(row.map_index, int) else -1).instance


def count_runs(session: Session, cohort: str) -> int:
    """How many runs a cohort has."""
    return session.scalar(select(func.count()).where(RunRow.cohort == cohort)) or 0


def cohort_of(session: Session, key: str) -> str | None:
    """The cohort of a run; None where there is none."""
    return session.scalar(select(RunRow.cohort).where(RunRow.key == key))


def whole_runs(session: Session, cohort: str) -> dict[str, tuple[str, int]]:
    """Of runs whose whole logs are known, the applications and how long they took, by key."""
    columns = (RunRow.key, RunRow.app_id, RunRow.duration_ms)
    finished = select(*columns).where(RunRow.cohort == cohort, RunRow.duration_ms.is_not(None))
    found = session.execute(finished).all()
    return {key: (app_id, ms) for key, app_id, ms in found if app_id is not None and ms is not None}


def keys_with(session: Session, part: str, limit: int, cohort: str | None) -> list[str]:
    """The newest keys that have this in them, newest first; of one cohort, or of all (None)."""
    found = select(RunRow.key).where(RunRow.key.contains(part, autoescape=True))
    found = found if cohort is None else found.where(RunRow.cohort == cohort)
    return list(session.scalars(found.order_by(RunRow.started_at.desc(), RunRow.key.desc()).limit(limit)))
