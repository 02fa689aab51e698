"""The joins that orders will make of a query's blocks, before any run has had them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tuner.model.action import Action
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.ordered_joins import OrderedJoin, ordered_joins


def future_joins(query: Query, signature: str, orders: Iterable[Action]) -> Iterator[tuple[JoinGraph, OrderedJoin]]:
    """The joins of this signature that the orders will make of a query, each with its block."""
    of_query = [order for order in orders if order.query == query.fingerprint]
    for graph in query.graphs if of_query else ():
        for order in of_query:
            if order.target == graph.signature:
                try:
                    joins = ordered_joins(graph, parse_order(order.value, graph))
                except OrderTextError:
                    continue
                yield from ((graph, join) for join in joins if join.signature == signature)
