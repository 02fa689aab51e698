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


def held_out(run: Run, query: str | None = None) -> list[DecidedChange]:
    """What had been in force in runs before, and was left out of this one; of one query (fingerprint), what reaches that."""
    out = (d for d in run.decision.changes if d.held is not None and d.held.code in HELD_OUT)
    return [d for d in out if query is None or not d.change.is_on_joins or query in d.queries]
