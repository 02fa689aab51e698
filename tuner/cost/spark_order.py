"""The order that Spark's own cost-based reordering chooses for a block, given the sizes that it believes in.

Source: `JoinReorderDP` in `CostBasedJoinReorder.scala`: level by level, one plan for each set of items, which need not
hold the best plan of all (`tuner.cost.order_objective.WeightedRatio`), no cross products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tuner.cost.join_tree import JoinTree, SizeOf, joined, leaf
from tuner.model.join_graph import JoinGraph
from tuner.spark.knobs import JOIN_REORDER_ITEMS, JOIN_REORDER_WEIGHT
from tuner.spark.order_cost import Cost, weighted_ratio, weighted_sum
from tuner.spark.version import NEWEST, Version

MOST_SETS = 5_000
BY_RATIO = (3, 1, 2)  # SPARK-34922
BY_SUM = (3, 1, 0)  # SPARK-33935

_Better = Callable[[Cost, Cost, float], bool]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A tree and the cost of its joins but the last one (JoinPlan.planCost)."""

    tree: JoinTree
    cost: Cost

    @property
    def with_root(self) -> Cost:
        if not self.tree.children:
            return self.cost
        return self.cost + Cost(math.ceil(self.tree.size.rows), math.ceil(self.tree.size.bytes))


def spark_order(
    graph: JoinGraph,
    size_of: SizeOf,
    *,
    weight: float = JOIN_REORDER_WEIGHT.default,
    threshold: int = JOIN_REORDER_ITEMS.default,
    version: Version = NEWEST,
) -> JoinTree | None:
    """The tree that JoinReorderDP ends with; None where it leaves a block alone, or no plan joins all without products.

    It takes three items and more, up to `threshold` (spark.sql.cbo.joinReorder.dp.threshold). Nothing is told of blocks
    with more than `MOST_SETS` connected sets, which take this simulation seconds.
    """
    count = len(graph.relations)
    if not 2 < count <= threshold:
        return None
    connections = _Connections([p.left | p.right for p in graph.predicates] + [c.relations for c in graph.conditions])
    levels: list[dict[int, _Plan]] = [{1 << i: _Plan(leaf(i, size_of), Cost(0, 0)) for i in range(count)}]
    better = _comparison(version)
    while len(levels) < count:
        if sum(map(len, levels)) > MOST_SETS:
            return None
        levels.append(_next_level(levels, connections, size_of, lambda a, b: better(a, b, weight)))
    found = levels[-1].get(graph.everything)
    return found.tree if found else None


class _Connections:
    """Which sets a condition joins: it needs both and nothing besides (JoinReorderDP.buildJoin)."""

    def __init__(self, conditions: Sequence[int]) -> None:
        self._pairs = {c for c in conditions if c.bit_count() == 2}
        self._wide = {c for c in conditions if c.bit_count() > 2}

    def near(self, one: int) -> int:
        """The relations that a condition of two compares with one of a set."""
        return sum({pair & ~one for pair in self._pairs if pair & one and pair & ~one})

    def connect(self, one: int, near: int, other: int) -> bool:
        both = one | other
        return bool(near & other) or any(c & both == c and c & one != c and c & other != c for c in self._wide)


def _next_level(
    levels: Sequence[Mapping[int, _Plan]],
    connections: _Connections,
    size_of: SizeOf,
    better: Callable[[Cost, Cost], bool],
) -> dict[int, _Plan]:
    found: dict[int, _Plan] = {}
    last = len(levels) - 1
    for low in range(last // 2 + 1):
        ones, others = list(levels[low]), list(levels[last - low])
        for position, one in enumerate(ones):
            near, plan = connections.near(one), levels[low][one]
            for other in others[position if low == last - low else 0 :]:
                if one & other or not connections.connect(one, near, other):
                    continue
                joining = levels[last - low][other]
                cost = plan.with_root + joining.with_root
                if one | other not in found or better(cost, found[one | other].cost):
                    found[one | other] = _Plan(joined(plan.tree, joining.tree, size_of), cost)
    return found


def _comparison(version: Version) -> _Better:
    if version >= BY_RATIO:
        return lambda one, other, weight: bool(other.card and other.size) and weighted_ratio(one, other, weight) < 1
    if version >= BY_SUM:
        return lambda one, other, weight: weighted_sum(one, weight) < weighted_sum(other, weight)
    return _by_relative_sum


def _by_relative_sum(one: Cost, other: Cost, weight: float) -> bool:
    """JoinPlan.betterThan before SPARK-33935."""
    if not other.card or not other.size:
        return False
    return weight * one.card / other.card + (1 - weight) * one.size / other.size < 1
