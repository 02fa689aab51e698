"""The cheapest tree whose inputs stand in a given order from left to right.

Linearized dynamic programming, Neumann & Radke 2018: once the order is fixed, a bushy tree is found in cubic time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuner.cost.join_edges import JoinEdges
from tuner.cost.join_tree import JoinTree, joined
from tuner.cost.order_objective import Pricing


def linear_tree(inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing) -> JoinTree | None:
    """The cheapest tree over disjoint trees in this order, without cross products; None if there is none.

    `pricing` has one term per join.
    """
    return _Intervals(inputs, edges, pricing).run()


class _Intervals:
    """Inputs start to end, each interval by its ends; what an interval holds is the mask of its best plan."""

    def __init__(self, inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing) -> None:
        self.inputs = inputs
        self.edges = edges
        self.pricing = pricing
        count = len(inputs)
        self.masks = [[0] * (count + 1) for _ in range(count)]
        for start in range(count):
            for end in range(start, count):
                self.masks[start][end + 1] = self.masks[start][end] | inputs[end].mask
        self.direct = [[edges.direct(mask) for mask in row] for row in self.masks]
        self.costs = [[math.inf] * (count + 1) for _ in range(count + 1)]
        self.middles = [[0] * (count + 1) for _ in range(count)]
        for index in range(count):
            self.costs[index][index + 1] = 0.0

    def run(self) -> JoinTree | None:
        count = len(self.inputs)
        for length in range(2, count + 1):
            for start in range(count - length + 1):
                self._settle(start, start + length)
        return self._tree(0, count) if self.costs[0][count] < math.inf else None

    def _settle(self, start: int, end: int) -> None:
        best, costs, masks, price = math.inf, self.costs, self.masks, self.pricing.price
        of_left, direct = costs[start], self.direct[start]
        for middle in range(start + 1, end):
            cost = of_left[middle] + costs[middle][end]
            if cost < best:
                left, right = masks[start][middle], masks[middle][end]
                if direct[middle] & right or (self.edges.wide and self.edges.connect(left, right)):
                    cost += price(left, right) if price is not None else 0.0
                    if cost < best:
                        best, self.middles[start][end] = cost, middle
        if best < math.inf:
            costs[start][end] = best + self.pricing.output(masks[start][end])[0]

    def _tree(self, start: int, end: int) -> JoinTree:
        if end - start == 1:
            return self.inputs[start]
        middle = self.middles[start][end]
        return joined(self._tree(start, middle), self._tree(middle, end), self.pricing.size)
