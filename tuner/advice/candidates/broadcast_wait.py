"""Whether a join would wait longer for a broadcast than Spark lets it."""

from __future__ import annotations

from tuner.advice.candidates.spared_shuffles import measured_map_seconds
from tuner.advice.facts import Facts
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.spark.knobs import BROADCAST_TIMEOUT
from tuner.spark.version import Version

# Adaptive execution waits for as long as a broadcast takes since then (SPARK-35414).
_WAITS: Version = (3, 2, 0)
# Of the time that Spark waits, a night that is slower than those measured needs the rest.
MOST_SHARE = 0.5


def outlasts_wait(facts: Facts, query: Query, build: JoinSide) -> bool:
    """Whether making a side's rows took more than half of what Spark waits for a broadcast, whose query fails then
    (BroadcastExchangeExec.doExecuteBroadcast). No side is taken to be long of which nothing tells."""
    selection, wait_seconds = facts.selection, facts.settings[BROADCAST_TIMEOUT]
    if (selection.adaptive and selection.has(_WAITS)) or wait_seconds <= 0:
        return False
    took = measured_map_seconds(facts, query, build)
    return took is not None and took > MOST_SHARE * wait_seconds
