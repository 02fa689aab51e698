"""How many cores a query can count on for more work."""

from __future__ import annotations

from tuner.advice.candidates.running_together import RunningTogether
from tuner.advice.facts import Facts
from tuner.model.query import Query
from tuner.spark.knobs import DYNAMIC_ALLOCATION


def busy_cores(facts: Facts, query: Query) -> int:
    """Those of the cluster. Where executors come and go, or other queries run beside it, no more than its tasks had so far, but
    for when they waited for the driver: at other times there may have been hundreds."""
    cores = max(1, facts.cluster.cores)
    varies = facts.settings[DYNAMIC_ALLOCATION] or facts.once(RunningTogether).is_shared(query)
    if not varies or not query.executor_run_ms or not query.duration_ms:
        return cores
    driver_ms = max((b.build_ms + b.broadcast_ms for b in query.work.broadcasts), default=0) if query.work else 0
    return max(1, min(cores, query.executor_run_ms // max(1, query.duration_ms - driver_ms)))
