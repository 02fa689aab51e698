"""How much of its tasks' time a query had a processor."""

from __future__ import annotations

from tuner.model.query import Query


def cpu_share(query: Query) -> float:
    """The share of it; 1 where it is not known. What Spark times counts waiting for a processor too, unit costs do not."""
    if not (query.executor_run_ms and query.executor_cpu_ms):
        return 1.0
    return min(1.0, query.executor_cpu_ms / query.executor_run_ms)
