"""The best order to join relations in: exact where that is quick, else by heuristics that know when to stop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.cost.cheapest_tree import TooManyPairsError, cheapest_tree
from tuner.cost.greedy_tree import greedy_tree
from tuner.cost.improved_tree import improved_tree
from tuner.cost.join_edges import Edge, JoinEdges, bits
from tuner.cost.join_tree import JoinTree, SizeOf, leaf, tree_cost
from tuner.cost.linear_tree import linear_tree
from tuner.cost.order_objective import OrderObjective, Pricing, WeightedRatio
from tuner.cost.ranked_order import ranked_order
from tuner.spark.order_cost import Cost

# A tenth of a second or so. Fourteen relations stay within it unless most are joined to most others.
DEFAULT_PAIRS = 100_000
# Of fewer relations every tree is looked at sooner than a heuristic has found one.
FEW_RELATIONS = 9
# Up to this many relations all trees that heuristics find are improved, beyond it the best of them alone.
MANY_RELATIONS = 30
BY_RATIO = WeightedRatio()


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """A join tree and its cost.

    `cost` counts rows and bytes of every join but the last (see `tree_cost`), `value` is the objective's number for it:
    the lower the better, of two orders the quotient of their values is Spark's weighted ratio. `exact` means that no
    tree without cross products has a lower value; it is False where only cross products connect all. It decides nothing:
    tests and benchmarks ask it where the search came to its end.
    """

    tree: JoinTree
    cost: Cost
    value: float
    exact: bool


def best_order(
    relations: int,
    edges: Iterable[Edge],
    size_of: SizeOf,
    objective: OrderObjective = BY_RATIO,
    *,
    written: JoinTree | None = None,
    pairs: int = DEFAULT_PAIRS,
) -> JoinOrder:
    """The cheapest tree found over relations 0..`relations`-1; `written` itself unless another is cheaper.

    `size_of` tells what the join of a set puts out, after every condition over relations of the set, edge or not: the
    same in whatever order. Relations that no edge connects are joined last: each connected group is ordered for itself,
    then the two groups of the fewest rows are joined first. The exact search looks at up to
    `pairs` pairs of sets; the same input always yields the same tree.
    """
    graph = JoinEdges(relations, edges)
    pricing = Pricing((1 << relations) - 1, size_of, objective)
    groups = graph.groups()
    found = [_Search(group, graph, pricing, written).run(pairs) for group in groups]
    tree = greedy_tree([tree for tree, _ in found], graph, pricing)
    exact = len(groups) == 1 and found[0][1]
    if written is not None and not pricing.value(pricing.total(tree)) < pricing.value(pricing.total(written)):
        tree = written
    return JoinOrder(tree, tree_cost(tree), pricing.value(pricing.total(tree)), exact)


class _Search:
    """The search over one group of relations that edges connect."""

    def __init__(self, group: int, edges: JoinEdges, pricing: Pricing, written: JoinTree | None) -> None:
        self.leaves = [leaf(relation.bit_length() - 1, pricing.size) for relation in bits(group)]
        self.edges = edges
        self.pricing = pricing
        self.written = written if written is not None and written.mask == group else None

    def run(self, pairs: int) -> tuple[JoinTree, bool]:
        """The best tree found, and whether the exact search came to its end."""
        trees = [greedy_tree(self.leaves, self.edges, self.pricing)]
        if self.written is not None:
            trees.append(self.written)
        few = len(self.leaves) <= FEW_RELATIONS
        if not few:
            trees += self._linear(min(trees, key=self._value))
        best = min(trees, key=self._value)
        if not few:
            best = self._improved(best)
        try:
            exact = cheapest_tree(self.leaves, self.edges, self.pricing, self._value(best), pairs)
        except TooManyPairsError:
            return self._best_improved(best, trees), False
        return exact or best, True

    def _best_improved(self, best: JoinTree, trees: list[JoinTree]) -> JoinTree:
        if len(self.leaves) > MANY_RELATIONS:
            return best
        if len(self.leaves) <= FEW_RELATIONS:
            trees = [*trees, *self._linear(best)]
        return min([best, *map(self._improved, trees)], key=self._value)

    def _improved(self, tree: JoinTree) -> JoinTree:
        return improved_tree(tree, self.edges, self.pricing)

    def _linear(self, tree: JoinTree) -> list[JoinTree]:
        """The best trees over the relations as `tree` has them from left to right, and by rank."""
        pricing = self.pricing.linear_at(self.pricing.total(tree))
        orders = [[node for node in tree.walk() if not node.children]]
        ranked = ranked_order(self.leaves, self.edges, self.pricing)
        if ranked is not None:
            orders.append(ranked)
        trees = (linear_tree(order, self.edges, pricing) for order in orders)
        return [tree for tree in trees if tree is not None]

    def _value(self, tree: JoinTree) -> float:
        return self.pricing.value(self.pricing.total(tree))
