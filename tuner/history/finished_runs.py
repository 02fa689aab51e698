"""How runs ended."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from tuner.errors import StoreError
from tuner.history.cohort_rows import keep_last_state
from tuner.history.documents import outcome_document
from tuner.history.plan_rows import replace_times
from tuner.history.tables import RunRow
from tuner.model.run import Outcome, RunState

# What a run's log may have told of its end where its driver saw the other.
_OTHERWISE = {RunState.FAILED: RunState.SUCCEEDED, RunState.SUCCEEDED: RunState.FAILED}


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
    takes = _lacks(outcome, goes_on=goes_on, tells_more=tells_more)
    if seen and state in _OTHERWISE:
        takes |= RunRow.state == _OTHERWISE[state].value
    told = {"state": state.value, "ended_at": ended_at, **_columns(key, outcome)}
    if connection.execute(update(RunRow).where(RunRow.key == key, takes).values(told)).rowcount == 1:
        if outcome is not None:
            connection.execute(replace_times(key, outcome, connection.dialect.name))
        keep_last_state(connection, key, state)
        return True
    if connection.scalar(select(RunRow.key).where(RunRow.key == key)) is None:
        raise StoreError(f"run {key} is not in the history store: it never began, so it cannot finish")
    return False


def keep_success(connection: Connection, key: str, ended_at: datetime) -> bool:
    """As `Store.keep_success`."""
    running = (RunRow.key == key, RunRow.state == RunState.RUNNING.value)
    return connection.execute(update(RunRow).where(*running).values(ended_at=ended_at)).rowcount == 1


def _lacks(outcome: Outcome | None, *, goes_on: bool, tells_more: bool) -> ColumnElement[bool]:
    """Of a run's row, whether it has nothing yet that is worth as much."""
    if outcome is None:
        return and_(RunRow.outcome.is_(None), RunRow.state == RunState.RUNNING.value)
    if outcome.duration_ms is None and not tells_more:
        # An outcome whose plans were let go is one.
        return RunRow.app_id.is_(None)
    if goes_on and outcome.duration_ms is not None:
        return or_(RunRow.duration_ms.is_(None), RunRow.duration_ms < outcome.duration_ms)
    return RunRow.duration_ms.is_(None)


def _columns(key: str, outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    document = outcome_document(key, outcome)
    return {"app_id": outcome.app_id, "duration_ms": outcome.duration_ms, "outcome": document}
