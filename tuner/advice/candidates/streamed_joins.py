"""Where a block of joins ends: the broadcast joins that run in its last stage."""

from __future__ import annotations

from tuner.cost.what_if.physical_order import PhysicalOrder
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSite


def ends_block(graph: JoinGraph, join: JoinSite) -> bool:
    """Whether a join that ran put out what the whole block does."""
    return tuple(sorted((*join.left.relations, *join.right.relations))) == graph.tables(graph.everything)


def streamed_joins(order: PhysicalOrder, graph: JoinGraph) -> tuple[frozenset[int], int]:
    """The broadcast joins that stream rows up to the end of a block, and the set of relations that these rows come from."""
    planned = {join.relations: join.plan for join in order.joins}
    streamed, relations = set[int](), graph.everything
    while (join := planned.get(relations)) is not None and join.broadcast is not None:
        streamed.add(relations)
        relations = join.side(join.broadcast.other)
    return frozenset(streamed), relations
