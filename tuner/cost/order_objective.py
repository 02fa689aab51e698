"""What makes one join order better than another: Spark's formula in either form, or seconds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tuner.cost.join_tree import JoinTree, SizeOf
from tuner.cost.size import Size
from tuner.spark.knobs import JOIN_REORDER_WEIGHT
from tuner.spark.order_cost import Cost, weighted_ratio, weighted_sum

# What a search adds up over the joins of a tree: one number, or two that no sum can weigh (then rows and bytes).
Terms = tuple[float, float]

# A cross product of many relations leaves the range of floats; sums and products of what is cut here do not.
MOST = 1e150


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """`weight*rows + (1-weight)*bytes` over the intermediate joins: Spark's form up to 3.1.1, and the one of reports."""

    weight: float = JOIN_REORDER_WEIGHT.default

    def __post_init__(self) -> None:
        weighted_sum(Cost(0, 0), self.weight)

    def terms(self, output: Size) -> Terms:
        return self.weight * output.rows + (1 - self.weight) * output.bytes, 0.0

    def value(self, terms: Terms) -> float:
        return terms[0]


@dataclass(frozen=True, slots=True)
class WeightedRatio:
    """`rows^weight * bytes^(1-weight)` of the sums over the intermediate joins: Spark's form since SPARK-34922.

    Spark asks of two plans whether `(rows/rows')^weight * (bytes/bytes')^(1-weight) < 1` (JoinPlan.betterThan). That is
    to compare this product for each of them, so it ranks plans without circles. But it does not add up: the better plan
    of a subset need not be part of the best plan of all, and JoinReorderDP, which keeps one plan per subset, can miss it.
    """

    weight: float = JOIN_REORDER_WEIGHT.default

    def __post_init__(self) -> None:
        weighted_ratio(Cost(0, 0), Cost(0, 0), self.weight)

    def terms(self, output: Size) -> Terms:
        return float(output.rows), float(output.bytes)

    def value(self, terms: Terms) -> float:
        return float(terms[0] ** self.weight * terms[1] ** (1 - self.weight))


@dataclass(frozen=True, slots=True)
class Seconds:
    """What `price` says of joining two sets of relations, the same either way round, over all joins with the last one."""

    price: Callable[[int, int], float]

    def terms(self, output: Size) -> Terms:
        return 0.0, 0.0

    def value(self, terms: Terms) -> float:
        return terms[0]


OrderObjective = WeightedSum | WeightedRatio | Seconds


class Pricing:
    """The objective's terms for sets and joins of one query, each size asked for once.

    The join of all relations costs nothing by the formula: it puts out the same in every order.
    """

    def __init__(self, full: int, size_of: SizeOf, objective: OrderObjective) -> None:
        self.full = full
        self.objective = objective
        self.value = objective.value
        self.price = objective.price if isinstance(objective, Seconds) else None
        self.both = isinstance(objective, WeightedRatio)
        self._size_of = size_of
        self._sizes: dict[int, Size] = {}

    def size(self, mask: int) -> Size:
        """What the join of a set puts out; ValueError if that is no number of rows and bytes."""
        size = self._sizes.get(mask)
        if size is None:
            size = self._size_of(mask)
            if not (size.rows >= 0 and size.bytes >= 0):
                raise ValueError(f"{size} of relations {mask:#b} is no size")
            if size.rows > MOST or size.bytes > MOST:
                size = Size(min(size.rows, MOST), min(size.bytes, MOST))
            self._sizes[mask] = size
        return size

    def output(self, mask: int) -> Terms:
        """The terms of any join that puts out this set."""
        return (0.0, 0.0) if mask == self.full or self.price is not None else self.objective.terms(self.size(mask))

    def join(self, left: int, right: int) -> Terms:
        """The terms of joining two sets."""
        return (self.price(left, right), 0.0) if self.price is not None else self.output(left | right)

    def total(self, tree: JoinTree) -> Terms:
        """The terms of a tree, summed from its leaves up."""
        if tree.left is None or tree.right is None:
            return 0.0, 0.0
        return add(add(self.total(tree.left), self.total(tree.right)), self.join(tree.left.mask, tree.right.mask))

    def linear_at(self, terms: Terms) -> Pricing:
        """One number per join, such that a tree whose number is lower than a tree of these terms is no worse than it.

        The ratio's value is concave in rows and bytes, so it lies below its tangent.
        """
        if not isinstance(self.objective, WeightedRatio):
            return self
        rows, size = terms
        weight = self.objective.weight
        by_rows, by_bytes = weight * size, (1 - weight) * rows
        share = by_rows / (by_rows + by_bytes) if 0 < by_rows + by_bytes < math.inf else weight
        linear = Pricing(self.full, self._size_of, WeightedSum(share))
        linear._sizes = self._sizes
        return linear


def add(one: Terms, other: Terms) -> Terms:
    return one[0] + other[0], one[1] + other[1]
