"""A join order by greed: whichever two trees put out the least are joined next.

Greedy operator ordering, Fegaras 1998. It is fast at any number of relations and gives the exact search its bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from tuner.cost.join_edges import JoinEdges
from tuner.cost.join_tree import JoinTree, joined
from tuner.cost.order_objective import Pricing


def greedy_tree(inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing) -> JoinTree:
    """A tree over disjoint trees. Two that no predicate connects are joined only when no other two can be."""
    trees = {tree.mask: tree for tree in inputs}
    near = {mask: edges.near(mask) for mask in trees}
    heap: list[tuple[float, int, int]] = []

    def offer(one: int, other: int) -> None:
        if one & near[other] and (not edges.wide or edges.connect(one, other)):
            heapq.heappush(heap, (pricing.value(pricing.join(one, other)), one, other))

    masks = sorted(trees)
    for index, one in enumerate(masks):
        for other in masks[:index]:
            offer(one, other)
    while len(trees) > 1:
        one, other = _next(heap, trees) or _cheapest_product(trees, pricing)
        tree = joined(trees.pop(one), trees.pop(other), pricing.size)
        near[tree.mask] = edges.near(tree.mask)
        for rest in sorted(trees):
            offer(tree.mask, rest)
        trees[tree.mask] = tree
    return next(iter(trees.values()))


def _next(heap: list[tuple[float, int, int]], trees: dict[int, JoinTree]) -> tuple[int, int] | None:
    while heap:
        _, one, other = heapq.heappop(heap)
        if one in trees and other in trees:
            return one, other
    return None


def _cheapest_product(trees: dict[int, JoinTree], pricing: Pricing) -> tuple[int, int]:
    """The two trees of the fewest rows."""
    one, other = sorted(trees, key=lambda mask: (pricing.size(mask).rows, mask))[:2]
    return one, other
