"""Stages of an execution that ended without them: who asks for rows one by one gets them later, from jobs of no execution.

So do toLocalIterator, and the Thrift server with spark.sql.thriftServer.incrementalCollect; of a stage whose events the log
lacks it looks the same.
"""

from __future__ import annotations

from collections.abc import Container

from tuner.plan.looked_at import once_a_plan
from tuner.plan.node import PlanNode
from tuner.plan.relation import bytes_left_to_read
from tuner.plan.sides import SHUFFLE_WRITE_METRICS, SHUFFLES, as_written, counted_by_tasks, stage_of

# What gathers at the driver what a job of its own has made.
_COLLECTING = frozenset({"BroadcastExchange", "Subquery", "SubqueryBroadcast"})
_WRITTEN = "shuffle records written"
# What tasks count of a shuffle that they read (SQLShuffleReadMetricsReporter).
_READ = ("records read", "local blocks read", "remote blocks read")


@once_a_plan
def never_ran(root: PlanNode) -> frozenset[int]:
    """The operators, by identity, that end a stage no task of which has counted anything, though there was something to read; and
    the shuffles that it should have written."""
    found = set[int]()
    for node in reversed(list(root.walk_all())):  # what is below an operator comes after it
        if node.name in SHUFFLES:
            if not is_written(node) and any(_never_ran(child, found) for child in node.children):
                found.add(id(node))
        elif node.name in _COLLECTING:
            found.update(id(child) for child in node.children if _never_ran(child, found))
    if _never_ran(root, found):
        found.add(id(root))
    return frozenset(found)


def is_written(shuffle: PlanNode) -> bool:
    """Whether tasks counted anything that they wrote into a shuffle."""
    return any(shuffle.metrics.get(name) for name in SHUFFLE_WRITE_METRICS)


def _never_ran(top: PlanNode, below: Container[int]) -> bool:
    operators, inputs = stage_of(top)
    if any(map(counted_by_tasks, operators)):
        return False
    # Before Spark 3 they did not count what they read.
    shuffles = [one for one in map(as_written, inputs) if one.name in SHUFFLES and _READ[0] in one.metric_ids]
    if any(name in shuffle.metrics for shuffle in shuffles for name in _READ):
        return False
    return any(map(bytes_left_to_read, operators)) or any(s.metrics.get(_WRITTEN) or id(s) in below for s in shuffles)
