"""Runs: which rows a question is about, and how much is read of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, func, select
from sqlalchemy.orm import Session, undefer

from tuner.history.documents import Detail, decoded_decision, readable_decision, readable_outcome, readable_run
from tuner.history.instance_runs import InstanceRuns, keys_before
from tuner.history.tables import RunRow, TimesRow
from tuner.model.decision import Decision
from tuner.model.query import total_data_bytes
from tuner.model.run import LONGEST_RUN, Origin, Run, RunState

# What delivers logs does so every five minutes (Databricks), or oftener (Glue).
DELIVERY = timedelta(minutes=15)
# Instances of a mapped task that start together are decided alike, in few ways; to decode one takes as long as to read it.
_KEPT_DECISIONS = 16


def newest_of(what: Select[Any], cohort: str, limit: int, offset: int = 0) -> Select[Any]:
    """Of a cohort's newest runs, newest first."""
    newest_first = (RunRow.started_at.desc(), RunRow.key.desc())
    return what.where(RunRow.cohort == cohort).order_by(*newest_first).limit(max(limit, 0)).offset(max(offset, 0))


def newest_runs(cohort: str, limit: int, offset: int = 0) -> Select[Any]:
    """A cohort's newest runs, newest first."""
    return newest_of(_rows(), cohort, limit, offset)


def runs_of(keys: Collection[str]) -> Select[Any]:
    """The runs of these keys."""
    return _rows().where(RunRow.key.in_(keys))


def run_of(key: str) -> Select[Any]:
    """The run of this key."""
    return _rows().where(RunRow.key == key)


def running_of(cohort: str) -> Select[Any]:
    """A cohort's running runs, oldest first."""
    running = _rows().where(RunRow.cohort == cohort, RunRow.state == RunState.RUNNING.value)
    return running.order_by(RunRow.started_at, RunRow.key)


def runs_of_task(origin: Origin) -> Select[Any]:
    """The runs of a task instance, oldest first."""
    of_it = {
        RunRow.dag_id: origin.dag_id,
        RunRow.run_id: origin.run_id,
        RunRow.task_id: origin.task_id,
        RunRow.map_index: origin.map_index,
    }
    return _rows().where(*(c == value for c, value in of_it.items())).order_by(RunRow.started_at, RunRow.key)


def running_of_task(origin: Origin) -> Select[Any]:
    """The running runs of a task instance, oldest first."""
    return runs_of_task(origin).where(RunRow.state == RunState.RUNNING.value)


def succeeded_between(cohort: str, after: datetime, before: datetime, limit: int) -> Select[Any]:
    """The first of a cohort's runs that began between two times and succeeded, oldest first."""
    between = (RunRow.started_at > after, RunRow.started_at < before)
    wanted = _rows().where(RunRow.cohort == cohort, RunRow.state == RunState.SUCCEEDED.value, *between)
    return wanted.order_by(RunRow.started_at, RunRow.key).limit(limit)


def lock_runs(connection: Connection, keys: Collection[str]) -> None:
    """Waits until no other transaction changes these runs. In one order: two that prune at once would wait for each other."""
    connection.execute(select(RunRow.key).where(RunRow.key.in_(keys)).order_by(RunRow.key).with_for_update())


def read_runs(session: Session, query: Select[Any], detail: Detail) -> list[Run]:
    """The runs of one of the queries above; without those that cannot be read. Of a run's outcome and what it has of times one is
    read, where that is all there is."""
    query = query.join(TimesRow, TimesRow.key == RunRow.key, isouter=True)
    if detail is Detail.FULL:
        query = query.options(undefer(RunRow.outcome))
    decoded = lru_cache(_KEPT_DECISIONS)(decoded_decision)
    found = ((row, *_document(row, times, detail)) for row, times in session.execute(query))
    return [run for row, document, told in found if (run := readable_run(row, document, told, decoded)) is not None]


def read_failed_of_late(session: Session, cohort: str) -> list[Run]:
    """As `Store.failed_of_late`."""
    newest = session.scalar(select(func.max(RunRow.started_at)).where(RunRow.cohort == cohort))
    if newest is None:
        return []
    late = (RunRow.state == RunState.FAILED.value, RunRow.duration_ms.is_(None), RunRow.event_log_dir != "")
    # An index tells when runs began. Of those that ended later than any may, the log is given up.
    lately = (RunRow.started_at > newest - LONGEST_RUN, RunRow.ended_at > newest - DELIVERY)
    of_late = _rows().where(RunRow.cohort == cohort, *late, *lately)
    return read_runs(session, of_late.order_by(RunRow.started_at, RunRow.key), Detail.TIMES)


def read_recent(
    session: Session, cohort: str, limit: int, in_full: int, instance: InstanceRuns | None = None
) -> list[Run]:
    """As `Store.recent`."""
    runs = read_runs(session, newest_runs(cohort, limit), Detail.TIMES)
    rests_on = instance.latest(runs[::-1]) if instance else None
    if instance and instance.asks_its_own(runs[::-1]):
        keys = keys_before(session, instance, runs[-1])
        earlier = {run.key: run for run in read_runs(session, runs_of(keys), Detail.TIMES)}
        runs += [earlier[key] for key in keys if key in earlier]
    measured = [run for run in runs if run.outcome is not None and run.state is RunState.SUCCEEDED]
    older = [run for run in measured[in_full:] if rests_on is None or _share_a_query(run, rests_on)]
    by_changes = {frozenset(d.id for d in run.decision.in_force): run for run in reversed(older)}
    wanted = {run.key: Detail.PAST for run in by_changes.values()}
    # The end of a month is longer ago than the newest, and comes again.
    largest = max(older, key=_data_bytes, default=None)
    newest = measured[:in_full]
    wanted |= {run.key: Detail.FULL for run in (*newest, *_with_others(newest, older), largest, rests_on) if run}
    documents = session.execute(select(RunRow.key, RunRow.outcome).where(RunRow.key.in_(wanted)))
    outcomes = {key: readable_outcome(key, document, wanted[key]) for key, document in documents if document}
    known = (replace(run, outcome=outcomes[run.key]) if run.key in outcomes else run for run in runs)
    return [run for run in known if run.outcome is not None or run.key not in outcomes][::-1]


def _with_others(newest: Sequence[Run], older: Sequence[Run]) -> list[Run]:
    """Of each query that came back after runs without it, and that none of the newest had, the newest run: as many as these at
    most."""
    lacking = _returning(older) - {fingerprint for run in newest for fingerprint in run.fingerprints}
    found: list[Run] = []
    for run in older:
        if len(found) < len(newest) and not lacking.isdisjoint(run.fingerprints):
            found.append(run)
            lacking -= run.fingerprints
    return found


def _returning(runs: Sequence[Run]) -> set[str]:
    """The queries (fingerprints) that runs had before and after one that did not; one that was edited does not come back."""
    last: dict[str, int] = {}
    found = set[str]()
    for number, run in enumerate(runs):
        for fingerprint in run.fingerprints:
            if number - last.get(fingerprint, number) > 1:
                found.add(fingerprint)
            last[fingerprint] = number
    return found


def _share_a_query(run: Run, other: Run) -> bool:
    """Whether one had a query of the other, or that had none."""
    asked = other.fingerprints
    return not asked or not asked.isdisjoint(run.fingerprints)


def _data_bytes(run: Run) -> int:
    return total_data_bytes(run.outcome.queries) if run.outcome else 0


def read_brief(session: Session, cohort: str, limit: int, known: Mapping[str, Run]) -> list[Run]:
    """As `Store.brief_runs`."""
    columns: tuple[Any, ...] = (RunRow.key, RunRow.state, RunRow.duration_ms)
    rows = {row.key: row for row in session.execute(newest_of(select(*columns), cohort, limit))}
    found = {key: run for key, row in rows.items() if (run := known.get(key)) and _is_whole(run, row)}
    unknown = runs_of([key for key in rows if key not in found])
    found |= {run.key: run for run in read_runs(session, unknown, Detail.TIMES)}
    return [found[key] for key in reversed(rows) if key in found]


def read_decisions(session: Session, keys: Collection[str]) -> dict[str, Decision]:
    """What was decided for these runs, by key; without those that cannot be read."""
    told = select(RunRow.key, RunRow.decision).where(RunRow.key.in_(list(keys)))
    read = ((key, readable_decision(key, document)) for key, document in session.execute(told))
    return {key: decision for key, decision in read if decision is not None}


def _rows() -> Select[Any]:
    """Runs, and what they have of times: what `read_runs` takes."""
    columns: tuple[Any, ...] = (RunRow, TimesRow.times)
    return select(*columns)


def _document(row: RunRow, times: str | None, detail: Detail) -> tuple[str | None, Detail]:
    """What is read of a run's outcome, and how much that tells: of one whose plans were let go its times are left."""
    if times is not None and (detail is not Detail.FULL or row.outcome is None):
        return times, Detail.TIMES
    return row.outcome, detail


def _is_whole(run: Run, row: Any) -> bool:
    """Whether the run is all that the row has: an application that was taken as ended may have gone on."""
    known_ms = run.outcome.duration_ms if run.outcome else None
    return run.state == row.state and known_ms is not None and known_ms == row.duration_ms
