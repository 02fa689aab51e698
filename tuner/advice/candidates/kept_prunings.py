"""Orders that read no more of a table than the order that ran, where the other side of a join prunes its partitions, or the agent
filters it by that side's keys.

Spark prunes by what it broadcasts (PartitionPruning). Where a join stands there instead, the planner does not know that it is
small, and the agent cannot have it counted first: the table would be read whole. A filter by key is of a join of these two sides:
where no such join is, nothing is filtered, and the rows that it left are no measure of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from tuner.cost.join_edges import Edge
from tuner.cost.join_tree import JoinTree, tree_of
from tuner.cost.size import Size
from tuner.model.join_graph import JoinGraph, members
from tuner.model.join_site import RuntimeFilter
from tuner.model.query import Query
from tuner.plan.ordered_joins import signature_of

Tables = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pruning:
    """Of the relations `pruned` less was read by the rows of `by`; both are sets of relations."""

    pruned: int
    by: int


def prunings(query: Query, graph: JoinGraph) -> tuple[Pruning, ...]:
    """What left out partitions, and rows by the agent's filters, in the order that ran. Spark's own bloom filters do not count:
    without one no more is read."""
    pruned = {
        (side.relations, other.relations)
        for join in query.joins
        for side, other in (join.sides, join.sides[::-1])
        if side.filtered_by_other is RuntimeFilter.PARTITIONS
    }
    filtered = {s.join for s in query.key_filters if s.filtered and s.action(query.fingerprint).id in query.followed}
    if not pruned and not filtered:
        return ()
    joins = (join.children for join in tree_of(graph.written, lambda _: Size(0, 0)).joins)
    return tuple(
        Pruning(relations, other.mask)
        for children in joins
        for side, other in (children, children[::-1])
        for relations in _left_out(graph, side.mask, other.mask, pruned, filtered)
    )


def _left_out(
    graph: JoinGraph, side: int, by: int, pruned: Set[tuple[Tables, Tables]], filtered: Set[str]
) -> Iterator[int]:
    """The relations of a side that have less to read by another: all of them where the agent filters, whichever way, for that
    takes a join of both sides as they are."""
    if (graph.tables(side), graph.tables(by)) in pruned:
        yield _pruned(graph, side, by)
    if filtered and signature_of(graph, side, by) in filtered:
        yield side


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
