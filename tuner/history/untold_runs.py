"""Which runs nobody has told the end of."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, or_

from tuner.history.tables import RunRow
from tuner.model.run import RunState

_RUNNING, _FAILED = RunState.RUNNING.value, RunState.FAILED.value


def is_untold() -> ColumnElement[bool]:
    """Of a run's row, whether it is running, or its task failed without having seen its job end (`Run.failed_unseen`)."""
    # The index has states, and no ends.
    return and_(RunRow.state.in_((_RUNNING, _FAILED)), or_(RunRow.state == _RUNNING, RunRow.ended_at.is_(None)))
