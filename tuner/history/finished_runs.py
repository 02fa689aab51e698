"""How runs ended."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Update, and_, false, select, update

from tuner.errors import StoreError
from tuner.history.cohort_rows import keep_last_state
from tuner.history.documents import outcome_document
from tuner.history.plan_rows import replace_times
from tuner.history.tables import RunRow
from tuner.model.run import Outcome, RunState


def finish_run(
    connection: Connection,
    key: str,
    state: RunState,
    ended_at: datetime,
    outcome: Outcome | None,
    *,
    seen: bool,
    goes_on: bool,
    tells_more: bool,
) -> bool:
    """As `Store.finish`, for any state but running."""
    if connection.execute(_update_unfinished(key, state, ended_at, outcome, seen, goes_on, tells_more)).rowcount == 1:
        if outcome is not None:
            connection.execute(replace_times(key, outcome, connection.dialect.name))
        keep_last_state(connection, key, state)
        return True
    if connection.scalar(select(RunRow.key).where(RunRow.key == key)) is None:
        raise StoreError(f"run {key} is not in the history store: it never began, so it cannot finish")
    return False


def _update_unfinished(
    key: str,
    state: RunState,
    ended_at: datetime,
    outcome: Outcome | None,
    seen: bool,
    goes_on: bool,
    tells_more: bool,
) -> Update:
    of_run = update(RunRow).where(RunRow.key == key)
    mistaken: ColumnElement[bool] = false()
    if seen and state is RunState.FAILED:
        mistaken = RunRow.state == RunState.SUCCEEDED.value
    if outcome is None:
        running = and_(RunRow.outcome.is_(None), RunRow.state == RunState.RUNNING.value)
        return of_run.where(running | mistaken).values(state=state.value, ended_at=ended_at)
    # An outcome whose plans were let go is one.
    lacks: ColumnElement[bool] = (
        RunRow.app_id.is_(None) if outcome.duration_ms is None and not tells_more else RunRow.duration_ms.is_(None)
    )
    if goes_on and outcome.duration_ms is not None:
        lacks |= RunRow.duration_ms < outcome.duration_ms
    return of_run.where(lacks | mistaken).values(
        state=state.value,
        ended_at=ended_at,
        app_id=outcome.app_id,
        duration_ms=outcome.duration_ms,
        outcome=outcome_document(key, outcome),
    )
