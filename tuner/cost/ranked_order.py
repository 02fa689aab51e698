"""The order in which a left-deep tree puts out the fewest rows, by ranks.

Ibaraki & Kameda 1984, Krishnamurthy, Boral & Zaniolo 1986: optimal where the joins form a tree and selectivities are
independent; here of the tree of the most selective joins, as Neumann & Radke 2018 have it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tuner.cost.join_edges import JoinEdges
from tuner.cost.join_tree import JoinTree
from tuner.cost.order_objective import Pricing


@dataclass(frozen=True, slots=True)
class _Run:
    """Inputs joined one after the other: by what they multiply the rows, and the rows they put out for each that came in."""

    growth: float
    rows: float
    inputs: tuple[int, ...]

    @property
    def rank(self) -> float:
        return (self.growth - 1) / self.rows if self.rows else -math.inf

    def then(self, other: _Run) -> _Run:
        return _Run(self.growth * other.growth, self.rows + self.growth * other.rows, self.inputs + other.inputs)


def ranked_order(inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing) -> list[JoinTree] | None:
    """The inputs in that order; None where edges between two inputs do not connect them all."""
    selectivities = _selectivities(inputs, edges, pricing)
    tree = _spanning_tree(len(inputs), selectivities)
    if tree is None:
        return None
    orders = (_from_root(root, inputs, selectivities, tree) for root in range(len(inputs)))
    return [inputs[index] for index in min(orders, key=lambda run: (run.rows, run.inputs)).inputs]


def _selectivities(inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing) -> dict[tuple[int, int], float]:
    found = {}
    for i, one in enumerate(inputs):
        near = edges.near(one.mask)
        for j, other in enumerate(inputs[:i]):
            if other.mask & near and edges.connect(one.mask, other.mask):
                pairs = one.size.rows * other.size.rows
                rows = pricing.size(one.mask | other.mask).rows
                found[i, j] = found[j, i] = rows / pairs if pairs else 1.0
    return found


def _spanning_tree(count: int, selectivities: dict[tuple[int, int], float]) -> list[list[int]] | None:
    """Neighbours of each input in the tree of the most selective joins (Prim 1957)."""
    tree: list[list[int]] = [[] for _ in range(count)]
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for i, j in selectivities:
        neighbours[i].append(j)
    reached = {0}
    heap = [(selectivities[0, j], 0, j) for j in neighbours[0]]
    heapq.heapify(heap)
    while heap:
        _, i, j = heapq.heappop(heap)
        if j not in reached:
            reached.add(j)
            tree[i].append(j)
            tree[j].append(i)
            for k in neighbours[j]:
                heapq.heappush(heap, (selectivities[j, k], j, k))
    return tree if len(reached) == count else None


def _from_root(
    root: int, inputs: Sequence[JoinTree], selectivities: dict[tuple[int, int], float], tree: list[list[int]]
) -> _Run:
    """The whole order that starts with `root`."""

    def runs(index: int, parent: int) -> list[_Run]:
        """What is joined from `index` on, by ascending rank: a run that must wait for one of higher rank goes with it."""
        later = list(heapq.merge(*(runs(child, index) for child in tree[index] if child != parent), key=_rank))
        growth = selectivities[parent, index] * inputs[index].size.rows
        run, taken = _Run(growth, growth, (index,)), 0
        while taken < len(later) and run.rank > later[taken].rank:
            run = run.then(later[taken])
            taken += 1
        return [run, *later[taken:]]

    order = _Run(inputs[root].size.rows, 0.0, (root,))
    for run in heapq.merge(*(runs(child, root) for child in tree[root]), key=_rank):
        order = order.then(run)
    return order


def _rank(run: _Run) -> float:
    return run.rank
