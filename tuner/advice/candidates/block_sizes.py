"""The sizes of the joins of a run's blocks, worked out once for all that ask."""

from __future__ import annotations

from tuner.advice.facts import Facts
from tuner.cost.cardinality import Cardinality
from tuner.model.join_graph import JoinGraph


def block_sizes(facts: Facts, graph: JoinGraph) -> Cardinality:
    """The sizes of the joins of a block."""
    known = facts.once(_Known).sizes
    if id(graph) not in known:
        # With the block itself: as long as it is there, nothing else has its id.
        known[id(graph)] = (graph, Cardinality(graph))
    return known[id(graph)][1]


class _Known:
    """Those of one run's facts."""

    def __init__(self, _: Facts) -> None:
        self.sizes: dict[int, tuple[JoinGraph, Cardinality]] = {}
