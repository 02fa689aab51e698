"""Blocks of joins whose last stage the job coalesces to few tasks: what is streamed there is read and made in no more of them."""

from __future__ import annotations

from tuner.advice.candidates.spared_shuffles import most_tasks
from tuner.advice.candidates.streamed_joins import ends_block, streamed_joins
from tuner.advice.facts import Facts
from tuner.cost.what_if.physical_order import PhysicalOrder
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query


def coalesced_joins(facts: Facts, query: Query, graph: JoinGraph, order: PhysicalOrder) -> frozenset[int]:
    """The broadcast joins of an order of a block, as sets of relations, that would run in these tasks; none where the job
    coalesces nothing."""
    return streamed_joins(order, graph)[0] if _is_coalesced(facts, query, graph) else frozenset()


def streams_other_rows(
    facts: Facts, query: Query, graph: JoinGraph, before: PhysicalOrder, after: PhysicalOrder
) -> bool:
    """Whether an order would have other rows made in these tasks than the one before."""
    if not _is_coalesced(facts, query, graph):
        return False
    streamed, relations = streamed_joins(after, graph)
    return bool(streamed) and relations != streamed_joins(before, graph)[1]


def _is_coalesced(facts: Facts, query: Query, graph: JoinGraph) -> bool:
    """Whether the tasks are few, or nothing tells how many they are."""
    last = (join for join in query.joins if ends_block(graph, join))
    return any(most_tasks(facts, join) is not None or not join.placed for join in last)
