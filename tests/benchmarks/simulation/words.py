"""What a simulated failure says of its cause, as an event log or a driver's end would."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tests.benchmarks.simulation.world import Candidate, Night
from tuner.model.failure import Failure, FailureKind

# Shares are assumed: what is known of them is that upstream data and the job's own code fail more runs than memory does.
_BY_ITSELF = ((0.40, FailureKind.INPUT_MISSING), (0.55, FailureKind.DATA_OR_CODE), (0.65, FailureKind.OWN_EXIT))
_BY_BROADCAST = ((0.40, FailureKind.EXECUTOR_OUT_OF_MEMORY), (0.75, FailureKind.BROADCAST_OUT_OF_MEMORY))


def failure_of_night(night: Night, in_force: Collection[Candidate], queries: Sequence[str]) -> Failure | None:
    """Why a run of this night failed, if it says so: a change that breaks it is named with its query."""
    broken = next((c for c in in_force if c.fails_from <= night.scale), None)
    by_tuner = broken is not None and not night.fails
    kind = next((kind for share, kind in (_BY_BROADCAST if by_tuner else _BY_ITSELF) if night.words < share), None)
    if kind is None:
        return None
    query = broken.action.query if by_tuner and broken else queries[-1] if queries else None
    return Failure(kind, kind.value.replace("_", " "), None if kind is FailureKind.OWN_EXIT else query)
