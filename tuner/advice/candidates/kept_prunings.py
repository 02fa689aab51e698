"""Orders that read no more of a table than the order that ran, where the other side of a join prunes its partitions.

Spark prunes by what it broadcasts (PartitionPruning). Where a join stands there instead, the planner does not know that it is
small, and the agent cannot have it counted first: the table would be read whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tuner.cost.join_edges import Edge
from tuner.cost.join_tree import JoinTree, tree_of
from tuner.cost.size import Size
from tuner.model.join_graph import JoinGraph, members
from tuner.model.join_site import RuntimeFilter
from tuner.model.query import Query


@dataclass(frozen=True, slots=True)
class Pruning:
    """Of the relations `pruned` Spark has left out partitions by the rows of `by`; both are sets of relations."""

    pruned: int
    by: int


def prunings(query: Query, graph: JoinGraph) -> tuple[Pruning, ...]:
    """What pruned partitions in the order that ran. Bloom filters do not count: without one no more is read."""
    sides = {
        (side.relations, other.relations)
        for join in query.joins
        for side, other in (join.sides, join.sides[::-1])
        if side.filtered_by_other is RuntimeFilter.PARTITIONS
    }
    if not sides:
        return ()
    joins = (join.children for join in tree_of(graph.written, lambda _: Size(0, 0)).joins)
    return tuple(
        Pruning(_pruned(graph, side.mask, other.mask), other.mask)
        for children in joins
        for side, other in (children, children[::-1])
        if (graph.tables(side.mask), graph.tables(other.mask)) in sides
    )


def keeps(tree: JoinTree, every: Iterable[Pruning]) -> bool:
    """Whether a tree joins what is pruned with what it is pruned by, and with nothing else on that side."""
    pairs = [(side.mask, other.mask) for join in tree.joins for side, other in (join.children, join.children[::-1])]
    return all(any(one.by == by and one.pruned & ~side == 0 for side, by in pairs) for one in every)


def keeping_edges(edges: Iterable[Edge], every: Iterable[Pruning]) -> list[Edge]:
    """The edges for a search that is to find trees which keep every pruning: from `by` to a third relation one leads only once
    `by` is joined with what it prunes."""
    found = list(edges)
    for one in every:
        found = [kept for edge in found for kept in _kept(edge, one)]
    return found


def _pruned(graph: JoinGraph, side: int, by: int) -> int:
    """The relations of a side that have left out partitions by keys of the other."""
    filtered = [1 << number for number in members(side) if graph.relations[number].runtime_filtered]
    keyed = [relation for relation in filtered if next(graph.keys(relation, by), None)]
    return sum(keyed or filtered)


def _kept(edge: Edge, pruning: Pruning) -> Iterator[Edge]:
    by, pruned = pruning.by, pruning.pruned
    one, other = edge if edge[0] & by else edge[::-1]
    # Not of `by`, or within it.
    if not one & by or not (one | other) & ~by:
        yield edge
    elif not other & by:
        # To what it prunes: from all of `by` at once.
        if other & pruned and not one & ~by:
            yield by, other | pruned
        # To a third: from both together.
        elif other & ~(one | by | pruned):
            yield one | by | pruned, other & ~(one | by | pruned)
