"""How each cohort's newest round of runs ended."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from tuner.history.run_columns import DAG_RUN_TAKES
from tuner.history.tables import CohortRow, RunRow
from tuner.model.last_round import LastRound, worst
from tuner.model.run import RunState

# A run that its task saw succeed runs, with an end, until its log tells what it measured (`Store.keep_success`).
_ENDED_AS = {**{state.value: state for state in RunState}, RunState.RUNNING.value: RunState.SUCCEEDED}


def read_last_rounds(session: Session, cohort: str | None) -> dict[str, LastRound]:
    """By cohort, or of one; without those of which no run has ended."""
    found: dict[str, list[Row[Any]]] = {}
    for row in session.execute(_runs_of_rounds(cohort)):
        found.setdefault(row.of, []).append(row)
    rounds = ((name, _round(run for run in runs if run.cohort in (None, name))) for name, runs in found.items())
    return {name: last_round for name, last_round in rounds if last_round is not None}


def _runs_of_rounds(cohort: str | None) -> Select[Any]:
    """Each cohort's newest run that has ended, beside each that has of the same task and DAG run (NULL outside Airflow)."""
    latest, beside, one = aliased(RunRow), aliased(RunRow), aliased(RunRow)
    newest = select(one.key).where(one.cohort == CohortRow.cohort, _has_ended(one))
    newest = newest.order_by(one.started_at.desc(), one.key.desc()).limit(1)
    # By their cohort they would be looked for among all runs that it ever had, and so they would be in its order.
    of_its_dag_run = and_(
        beside.dag_id == latest.dag_id,
        beside.task_id == latest.task_id,
        beside.run_id == latest.run_id,
        _has_ended(beside),
    )
    told: tuple[Any, ...] = (
        latest.cohort.label("of"),
        beside.cohort,
        beside.map_index,
        func.coalesce(beside.state, latest.state).label("state"),
        func.coalesce(beside.started_at, latest.started_at).label("started_at"),
        func.coalesce(beside.key, latest.key).label("key"),
    )
    found = select(*told).select_from(CohortRow).join(latest, latest.key == newest.scalar_subquery())
    found = found.outerjoin(beside, of_its_dag_run)
    return found if cohort is None else found.where(CohortRow.cohort == cohort)


def _has_ended(run: type[RunRow]) -> ColumnElement[bool]:
    return or_(run.state != RunState.RUNNING.value, run.ended_at.is_not(None))


def _round(runs: Iterable[Row[Any]]) -> LastRound | None:
    """Of an instance's tries the last counts; None where no run can be read."""
    told = [run for run in runs if isinstance(run.started_at, datetime) and run.state in _ENDED_AS]
    if not told:
        return None
    in_order = sorted(told, key=lambda run: (run.started_at, run.key))
    since = in_order[-1].started_at - DAG_RUN_TAKES
    of_it = [run for run in in_order if run.started_at >= since]
    ended = {run.map_index: _ENDED_AS[run.state] for run in of_it}
    return LastRound(worst(ended.values()), of_it[0].started_at)
