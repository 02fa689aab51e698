"""How each cohort's newest round of runs ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, or_, select
from sqlalchemy.orm import Session, aliased

from tuner.history.run_columns import DAG_RUN_TAKES
from tuner.history.tables import CohortRow, RunRow
from tuner.model.last_round import LastRound, badness
from tuner.model.run import RunState

# A run that its task saw succeed runs, with an end, until its log tells what it measured (`Store.keep_success`).
_ENDED_AS = {**{state.value: state for state in RunState}, RunState.RUNNING.value: RunState.SUCCEEDED}


def read_last_rounds(session: Session, cohorts: Collection[str] | None) -> dict[str, LastRound]:
    """By cohort, of these, or of all where None are given; without those of which no run has ended."""
    newest = session.execute(newest_ended(cohorts)).all()
    of_rounds: dict[tuple[str, ...], list[Row[Any]]] = {}
    for run in session.execute(runs_of_rounds(cohorts)):
        of_rounds.setdefault(_round_of(run), []).append(run)
    found = ((run.cohort, _round(of_rounds.get(_round_of(run)) or [run])) for run in newest)
    return {cohort: last_round for cohort, last_round in found if last_round is not None}


def newest_ended(cohorts: Collection[str] | None) -> Select[Any]:
    """Each cohort's newest run that has ended."""
    return _newest_ended(cohorts, RunRow, *_columns(RunRow))


def runs_of_rounds(cohorts: Collection[str] | None) -> Select[Any]:
    """Those that have ended, of whatever cohort, of the tasks and DAG runs of these newest ones: each run once, though a mapped
    task have a cohort for each instance."""
    newest = aliased(RunRow)
    rounds = _newest_ended(cohorts, newest, newest.dag_id, newest.task_id, newest.run_id).distinct().subquery()
    # By their cohort they would be looked for among all runs that it ever had, and so they would be in its order.
    is_of_one = and_(
        RunRow.dag_id == rounds.c.dag_id, RunRow.task_id == rounds.c.task_id, RunRow.run_id == rounds.c.run_id
    )
    return select(*_columns(RunRow)).join_from(rounds, RunRow, is_of_one).where(_has_ended(RunRow))


def _newest_ended(cohorts: Collection[str] | None, run: type[RunRow], *columns: Any) -> Select[Any]:
    one = aliased(RunRow)
    newest = select(one.key).where(one.cohort == CohortRow.cohort, _has_ended(one))
    newest = newest.order_by(one.started_at.desc(), one.key.desc()).limit(1)
    found = select(*columns).select_from(CohortRow).join(run, run.key == newest.scalar_subquery())
    return found if cohorts is None else found.where(CohortRow.cohort.in_(cohorts))


def _columns(run: type[RunRow]) -> tuple[Any, ...]:
    return run.key, run.cohort, run.dag_id, run.task_id, run.run_id, run.map_index, run.state, run.started_at


def _round_of(run: Row[Any]) -> tuple[str, ...]:
    return run.cohort, run.dag_id, run.task_id, run.run_id


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
    ended = {run.map_index: (_ENDED_AS[run.state], run.key) for run in of_it}
    worst_first = sorted(ended.values(), key=lambda one: badness(one[0]))
    badly = tuple(key for state, key in worst_first if state is not RunState.SUCCEEDED)
    return LastRound(worst_first[0][0], of_it[0].started_at, len(ended), badly, in_order[-1].key)
