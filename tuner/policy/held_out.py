"""Changes that a run was without so that it would tell what they do."""

from __future__ import annotations

from tuner.model.decision import DecidedChange
from tuner.model.reason import ReasonCode
from tuner.model.run import Run

HELD_OUT = frozenset(
    {
        ReasonCode.HELD_OUT,
        ReasonCode.LONG_IN_FORCE,
        ReasonCode.NEVER_WITHOUT,
        ReasonCode.NO_RUN_WITHOUT,
        ReasonCode.ONE_MORE_WITHOUT,
    }
)


def held_out(run: Run) -> list[DecidedChange]:
    """What had been in force in runs before, and was left out of this one."""
    return [d for d in run.decision.changes if d.held is not None and d.held.code in HELD_OUT]
