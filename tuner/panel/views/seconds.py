"""Seconds of a run, and of each of its queries."""

from __future__ import annotations

from tuner.model.run import Run
from tuner.policy.measure import measured_queries, usable


def query_seconds(run: Run) -> float | None:
    """Seconds of a run's finished queries together; None where its times may not be compared."""
    return sum(query.seconds for query in measured_queries(run)) if usable(run) else None
