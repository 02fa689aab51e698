"""Seconds of a run, and of each of its queries."""

from __future__ import annotations

from tuner.history.model import Run
from tuner.policy.measure import measured_queries, usable


def query_seconds(run: Run) -> float | None:
    """Seconds of a run's finished queries together; None where its times may not be compared."""
    return sum(query.seconds for query in measured_queries(run)) if usable(run) else None


def seconds_by_query(run: Run) -> dict[str, float]:
    """Seconds by fingerprint, those of all executions of a query together."""
    seconds: dict[str, float] = {}
    for query in measured_queries(run):
        seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + query.seconds
    return seconds
