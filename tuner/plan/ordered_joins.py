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
    found: list[tuple[int, int]] = []
    _join(order, found)
    return (OrderedJoin(left, right, signature_of(graph, left, right)) for left, right in found)


def signature_of(graph: JoinGraph, left: int, right: int) -> str:
    """The signature of the join of two sets of a block's relations."""
    pairs = tuple((one, other) for (_, one), (_, other) in graph.keys(left, right))
    return signature(JoinType.INNER, graph.tables(left), graph.tables(right), pairs)


def _join(order: Order, found: list[tuple[int, int]]) -> int:
    """The set of an order's relations; adds the sides of each of its joins."""
    if isinstance(order, int):
        return 1 << order
    left, right = (_join(side, found) for side in order)
    found.append((left, right))
    return left | right
