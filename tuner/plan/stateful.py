"""What streams keep from batch to batch, and the shuffles by which it is placed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.plan.node import PlanNode
from tuner.plan.sides import is_exchange

# Spark's StatefulOperators: StateStoreSave and -Restore, SessionWindowStateStoreSave, FlatMapGroupsWithState,
# FlatMapGroupsInPandasWithState, TransformWithState, …
_STATEFUL = re.compile(r"StateStore|WithState|Stateful|Streaming(?:SymmetricHashJoin|Deduplicate|GlobalLimit)")


def keeps_state(root: PlanNode) -> bool:
    """Whether a plan is of a stream's batch that goes on with what the batches before it left."""
    return next(_stateful(root), None) is not None


def exchanges_of_state(root: PlanNode) -> frozenset[int]:
    """The shuffles (ids of nodes) that bring rows to where the state of their keys lies: their number of partitions is that of
    the state, whatever is set."""
    found: set[int] = set()
    below = [child for node in _stateful(root) for child in node.children]
    seen: set[int] = set()
    while below:
        node = below.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if is_exchange(node):
            found.add(id(node))
        else:
            below.extend(node.children)
    return frozenset(found)


def _stateful(root: PlanNode) -> Iterator[PlanNode]:
    return (node for node in root.walk_query() if _STATEFUL.search(node.name))
