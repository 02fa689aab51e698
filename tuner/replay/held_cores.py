"""How many cores a run held."""

from __future__ import annotations

from tuner.model.run import Outcome


def held_cores(outcome: Outcome) -> float:
    """On average over the application, where its log tells: under dynamic allocation it is seldom at its largest. Else the cores
    of its cluster; never more than these."""
    most = float(outcome.cluster.cores)
    if outcome.allocated_core_ms is None or not outcome.duration_ms:
        return most
    return min(most, outcome.allocated_core_ms / outcome.duration_ms)
