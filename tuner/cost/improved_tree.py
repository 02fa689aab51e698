"""A join tree improved part by part: each part of a few inputs is ordered anew by the exact search.

Iterative dynamic programming, Kossmann & Stocker 2000 (the form that starts from a plan of the whole query).
"""

from __future__ import annotations

from tuner.cost.cheapest_tree import TooManyPairsError, cheapest_tree
from tuner.cost.join_edges import JoinEdges
from tuner.cost.join_tree import JoinTree, joined
from tuner.cost.order_objective import Pricing

PART_INPUTS = 8
PART_PAIRS = 20_000
ROUNDS = 6


def improved_tree(tree: JoinTree, edges: JoinEdges, pricing: Pricing) -> JoinTree:
    """A tree of the same relations that is no dearer: no part of it can be ordered better, or `ROUNDS` have passed."""
    for _ in range(ROUNDS):
        terms = pricing.total(tree)
        parts = _Parts(edges, pricing.linear_at(terms))
        better = parts.improved(tree)
        if not pricing.value(pricing.total(better)) < pricing.value(terms):
            break
        tree = better
    return tree


class _Parts:
    """One pass over the parts of a tree, from the leaves to the root; `pricing` has one term per join."""

    def __init__(self, edges: JoinEdges, pricing: Pricing) -> None:
        self.edges = edges
        self.pricing = pricing

    def improved(self, tree: JoinTree) -> JoinTree:
        if tree.left is None or tree.right is None:
            return tree
        left, right = self.improved(tree.left), self.improved(tree.right)
        if (left, right) != (tree.left, tree.right):
            tree = joined(left, right, self.pricing.size)
        inputs = self._inputs(tree)
        cost = self._cost(tree, {part.mask for part in inputs})
        try:
            better = cheapest_tree(inputs, self.edges, self.pricing, cost, PART_PAIRS)
        except TooManyPairsError:
            return tree
        return better if better and self._cost(better, {part.mask for part in inputs}) < cost else tree

    def _inputs(self, tree: JoinTree) -> list[JoinTree]:
        """The part of a tree below its root: of its joins the dearest are taken apart until there are enough inputs."""
        inputs = list(tree.children)
        while len(inputs) < PART_INPUTS:
            joins = [part for part in inputs if part.children]
            if not joins:
                break
            dearest = max(joins, key=lambda part: (self._join(part), part.mask))
            inputs.remove(dearest)
            inputs.extend(dearest.children)
        return inputs

    def _cost(self, tree: JoinTree, inputs: set[int]) -> float:
        if tree.mask in inputs or tree.left is None or tree.right is None:
            return 0.0
        return self._cost(tree.left, inputs) + self._cost(tree.right, inputs) + self._join(tree)

    def _join(self, tree: JoinTree) -> float:
        """What its last join costs by itself."""
        left, right = tree.children
        return self.pricing.join(left.mask, right.mask)[0]
