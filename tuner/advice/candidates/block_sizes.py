"""The sizes of the joins of a run's blocks, worked out once for all that ask."""

from __future__ import annotations

from tuner.advice.facts import Facts
from tuner.advice.once_per_block import OncePerBlock
from tuner.cost.cardinality import Cardinality
from tuner.model.join_graph import JoinGraph


def block_sizes(facts: Facts, graph: JoinGraph) -> Cardinality:
    """The sizes of the joins of a block."""
    return facts.once(_sizes).of(graph, lambda: Cardinality(graph))


def _sizes(_: Facts) -> OncePerBlock[Cardinality]:
    return OncePerBlock()
