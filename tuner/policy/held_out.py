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


def is_held_out(decided: DecidedChange) -> bool:
    """Whether it had been in force in runs before, and its run is without it."""
    return decided.held is not None and decided.held.code in HELD_OUT


def held_out(run: Run) -> list[DecidedChange]:
    """What had been in force in runs before, and was left out of this one."""
    return [decided for decided in run.decision.changes if is_held_out(decided)]
