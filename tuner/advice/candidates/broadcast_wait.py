"""Whether a join would wait longer for a broadcast than Spark lets it."""

from __future__ import annotations

import math

from tuner.advice.candidates.spared_shuffles import measured_map_seconds
from tuner.advice.facts import Facts
from tuner.model.join_site import JoinSide, JoinSite
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
    took = measured_map_seconds(facts, query, build)
    return took is not None and took > _most_seconds(facts)


def query_outlasts_wait(facts: Facts, query: Query) -> bool:
    """The same of a side that other operators than a shuffle of its own made: in the time of the whole query at most."""
    return query.seconds > _most_seconds(facts)


def stage_outlasts_wait(facts: Facts, query: Query, join: JoinSite) -> bool:
    """The same of the side that a hash join streams: it was made in the join's own stage; as long as the query, where nothing
    tells how long that took."""
    cores = max(1, min(facts.cluster.cores, join.tasks or facts.cluster.cores))
    took = query.seconds if join.core_ms is None else join.core_ms / 1e3 / join.runs / cores
    return took > _most_seconds(facts)


def _most_seconds(facts: Facts) -> float:
    """What making the rows of a broadcast may have taken: any time where Spark waits for as long as it takes."""
    selection, wait_seconds = facts.selection, facts.settings[BROADCAST_TIMEOUT]
    if (selection.adaptive and selection.has(_WAITS)) or wait_seconds <= 0:
        return math.inf
    return MOST_SHARE * wait_seconds
