"""The joins that an order makes of a block, under the signatures that they will have once they have run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.model.join_graph import JoinGraph, Order
from tuner.model.strategy import JoinType
from tuner.plan.joins import signature


@dataclass(frozen=True, slots=True)
class OrderedJoin:
    """One join of an order: the sets of relations on both sides (bit i is relation i), and its signature."""

    left: int
    right: int
    signature: str


def ordered_joins(graph: JoinGraph, order: Order) -> Iterator[OrderedJoin]:
    """The joins of an order, inputs before what they feed."""
    if not isinstance(order, int):
        for side in order:
            yield from ordered_joins(graph, side)
        left, right = map(_relations, order)
        yield OrderedJoin(left, right, signature_of(graph, left, right))


def signature_of(graph: JoinGraph, left: int, right: int) -> str:
    """The signature of the join of two sets of a block's relations."""
    pairs = tuple((one, other) for (_, one), (_, other) in graph.keys(left, right))
    return signature(JoinType.INNER, graph.tables(left), graph.tables(right), pairs)


def _relations(order: Order) -> int:
    return 1 << order if isinstance(order, int) else _relations(order.left) | _relations(order.right)
