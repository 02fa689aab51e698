"""The cost of a join order as Spark's cost-based optimizer has it, in both of its forms.

Source: `CostBasedJoinReorder.scala` (JoinReorderDP). From SPARK-33935 to SPARK-34922 two plans were compared by their
weighted sums; since then by the weighted geometric mean of their ratios, because bytes swamp rows in the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tuner.spark.knobs import JOIN_REORDER_WEIGHT


@dataclass(frozen=True, slots=True)
class Cost:
    """Rows and bytes summed over the intermediate joins of an order."""

    card: float
    size: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.card + other.card, self.size + other.size)


def order_cost(intermediates: Iterable[Cost]) -> Cost:
    """The cost of an order: the sum over its intermediate joins (the last join's output is the same in every order)."""
    return sum(intermediates, Cost(0, 0))


def weighted_sum(cost: Cost, weight: float = JOIN_REORDER_WEIGHT.default) -> float:
    """`weight*card + (1-weight)*size`: rows and bytes in one number, for reports."""
    _check(weight)
    return weight * cost.card + (1 - weight) * cost.size


def weighted_ratio(cost: Cost, other: Cost, weight: float = JOIN_REORDER_WEIGHT.default) -> float:
    """`(card/other.card)^weight * (size/other.size)^(1-weight)`: below 1 when `cost` is the cheaper.

    A zero on the other's side alone makes `cost` the dearer (infinity), as in Spark; zero against zero is equal.
    """
    _check(weight)
    card, size = _ratio(cost.card, other.card), _ratio(cost.size, other.size)
    # 0 in one dimension and infinity in the other have no product.
    return math.inf if math.inf in (card, size) else float(card**weight * size ** (1 - weight))


def _ratio(a: float, b: float) -> float:
    if b:
        return a / b
    return math.inf if a else 1.0


def _check(weight: float) -> None:
    if not 0 <= weight <= 1:
        raise ValueError(f"weight {weight} is outside 0..1 (spark.sql.cbo.joinReorder.card.weight)")
