"""What a simulated failure says of its cause, as an event log or a driver's end would."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.night import Night
from tuner.model.failure import Failure, FailureKind

# Shares are assumed.
_BY_BROADCAST = ((0.40, FailureKind.EXECUTOR_OUT_OF_MEMORY), (0.75, FailureKind.BROADCAST_OUT_OF_MEMORY))


def failure_of_night(night: Night, in_force: Collection[InForce], queries: Sequence[str]) -> Failure | None:
    """Why a run of this night failed, if it says so: a change that breaks it is named with its query."""
    broken = next((one.candidate for one in in_force if one.breaks(night)), None)
    if broken is not None:
        kind = next((kind for share, kind in _BY_BROADCAST if night.words < share), None)
        query = broken.action.query
    else:
        kind = night.cause
        query = queries[-1] if queries else None
    if kind is None:
        return None
    return Failure(kind, kind.value.replace("_", " "), None if kind is FailureKind.OWN_EXIT else query)
