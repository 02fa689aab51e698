"""A tree is improved where it costs most."""

from __future__ import annotations

from tuner.cost.improved_tree import improved_tree
from tuner.cost.join_edges import JoinEdges, edge
from tuner.cost.join_tree import tree_of
from tuner.cost.order_objective import Pricing, Seconds
from tuner.cost.size import Size
from tuner.model.join_graph import Joined, Order

from .join_graphs import chain

RELATIONS = 12


def test_by_seconds_too_the_dearest_join_is_taken_apart_first() -> None:
    """Of the joins below the root that of the first two relations is the dearest; the other holds higher numbers."""
    rest: Order = 2
    for relation in range(3, RELATIONS):
        rest = Joined(rest, relation)
    dear = 0b11

    def price(left: int, right: int) -> float:
        return 100.0 if left | right == dear else 1.0

    pricing = Pricing((1 << RELATIONS) - 1, lambda _: Size(1, 1), Seconds(price))
    tree = tree_of(Joined(rest, Joined(0, 1)), pricing.size)
    edges = JoinEdges(RELATIONS, [*chain(RELATIONS), edge(0, RELATIONS - 1)])
    assert dear not in {join.mask for join in improved_tree(tree, edges, pricing).joins}
