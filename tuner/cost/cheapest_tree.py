"""The cheapest of all bushy trees without cross products, by dynamic programming over connected sets.

After Selinger et al. 1979 (the best plan per set of relations), as Spark's JoinReorderDP; but sets are paired only while
they are cheaper than a tree already known, which is what a heuristic search before is for, and by the ratio a set keeps
every plan that may yet be the best part of the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tuner.cost.join_edges import JoinEdges
from tuner.cost.join_tree import JoinTree, joined
from tuner.cost.order_objective import Pricing

# Sums of the same numbers in another order differ by this much at most; a plan that is better by less is not better.
ROUNDING = 1 + 1e-12

# To pass over a set that cannot be joined takes about as much less time than to join two.
SCANNED_PER_PAIR = 8

# A way to join a set: the terms of its joins so far, the set, and the two plans it joins (of an input: none).
Plan = tuple[float, float, int, "Plan | None", "Plan | None"]
Point = tuple[float, float, int, Plan, Plan]


class TooManyPairsError(Exception):
    """The search has looked at as many pairs of sets as it may."""


def cheapest_tree(
    inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing, bound: float, pairs: int
) -> JoinTree | None:
    """The cheapest tree over `inputs`: disjoint trees, left as they are, whose own joins are not counted.

    None if there is no tree, or every tree is dearer than `bound`. TooManyPairsError after `pairs` pairs of sets.
    Of trees that cost the same the one that adds few relations to many wins; the order of edges plays no part.
    """
    best = _Search(inputs, edges, pricing, bound, pairs).run()
    return _tree(best, {tree.mask: tree for tree in inputs}, pricing) if best else None


def _tree(plan: Plan, inputs: dict[int, JoinTree], pricing: Pricing) -> JoinTree:
    _, _, mask, left, right = plan
    if left is None or right is None:
        return inputs[mask]
    return joined(_tree(left, inputs, pricing), _tree(right, inputs, pricing), pricing.size)


class _Search:
    """Sets level by level, by how many inputs they join: a set's plans are settled once all smaller sets are."""

    def __init__(
        self, inputs: Sequence[JoinTree], edges: JoinEdges, pricing: Pricing, bound: float, pairs: int
    ) -> None:
        self.edges = edges
        self.pricing = pricing
        self.bound = bound
        self.pairs_left = pairs
        self.singles = sorted(tree.mask for tree in inputs)
        self.near = {mask: edges.near(mask) for mask in self.singles}
        # What is kept of a set: its plans, the least of each term among them, and how many inputs it joins.
        self.plans: dict[int, list[Plan]] = {mask: [(0.0, 0.0, mask, None, None)] for mask in self.singles}
        self.first = dict.fromkeys(self.singles, 0.0)
        self.second = dict.fromkeys(self.singles, 0.0)
        self.level_of = dict.fromkeys(self.singles, 1)
        # Sets of several inputs stand under that one of these with the most neighbours: the sets that overlap most
        # share it, and are passed over together.
        self.ranked = sorted(self.singles, key=lambda mask: (-self.near[mask].bit_count(), mask))
        self.found: dict[int, list[int]] = {}
        # By level, for each set to be settled the larger sides it can be split into.
        self.splits: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(len(inputs) + 2)]

    def run(self) -> Plan | None:
        for left in self.singles:
            self._pair(left, 1, [right for right in self.singles if right < left])
        last = len(self.singles)
        for level in range(2, last + 1):
            splits, self.splits[level] = self.splits[level], {}
            for mask in sorted(splits):
                if self._settle(mask, splits[mask]) and level < last:
                    self.level_of[mask] = level
                    self._pair(mask, level, self.singles)
        plans = self.plans.get(sum(self.singles), [])
        return min(plans, key=lambda plan: self.pricing.value(plan[:2]), default=None)

    def _pair(self, left: int, level: int, singles: Sequence[int]) -> None:
        """Note every set that joins `left` to a smaller set, or to one of its level that came before."""
        near = self.near[left]
        rights = [right for right in singles if right & near]
        sets = self._sets_beside(left, near) if level > 1 else []
        self.pairs_left -= len(rights) + len(sets)
        if self.pairs_left < 0:
            raise TooManyPairsError
        if self.edges.wide:
            rights = [right for right in rights if self.edges.connect(left, right)]
            sets = [right for right in sets if self.edges.connect(left, right)]
        above, splits, level_of = self.splits[level + 1], self.splits, self.level_of
        for right in rights:
            above[left | right].append(left)
        for right in sets:
            splits[level + level_of[right]][left | right].append(left)

    def _sets_beside(self, left: int, near: int) -> list[int]:
        """The sets of several inputs found so far that `left` may be joined to; it is found from now on."""
        beside: list[int] = []
        for first, found in self.found.items():
            if not first & left:
                self.pairs_left -= len(found) // SCANNED_PER_PAIR
                beside += [right for right in found if right & near and not right & left]
        for first in self.ranked:
            if first & left:
                self.found.setdefault(first, []).append(left)
                break
        return beside

    def _settle(self, mask: int, lefts: list[int]) -> bool:
        """Keep the plans of a set that may be part of the best; whether there are any."""
        lefts.reverse()
        if not (self._settle_two_terms if self.pricing.both else self._settle_one_term)(mask, lefts):
            return False
        self.near[mask] = (self.near[lefts[0]] | self.near[mask ^ lefts[0]]) & ~mask
        return True

    def _settle_one_term(self, mask: int, lefts: list[int]) -> bool:
        costs, price = self.first, self.pricing.price
        if price is None:
            sums = [costs[left] + costs[mask ^ left] for left in lefts]
        else:
            sums = [costs[left] + costs[mask ^ left] + price(left, mask ^ left) for left in lefts]
        least = min(sums)
        if least > self.bound:
            return False
        cost = least + self.pricing.output(mask)[0]
        if cost > self.bound:
            return False
        left = lefts[sums.index(least)]
        self.first[mask] = cost
        self.plans[mask] = [(cost, 0.0, mask, self.plans[left][0], self.plans[mask ^ left][0])]
        return True

    def _settle_two_terms(self, mask: int, lefts: list[int]) -> bool:
        first, second, value = self.first, self.second, self.pricing.value
        firsts = [first[left] + first[mask ^ left] for left in lefts]
        seconds = [second[left] + second[mask ^ left] for left in lefts]
        least, least_second = min(firsts), min(seconds)
        if value((least, least_second)) > self.bound:
            return False
        first_out, second_out = self.pricing.output(mask)
        if value((least + first_out, least_second + second_out)) > self.bound:
            return False
        first[mask], second[mask] = least + first_out, least_second + second_out
        at = seconds.index(least_second)
        ones, others = self.plans[lefts[at]], self.plans[mask ^ lefts[at]]
        if firsts[at] <= least * ROUNDING and len(ones) == len(others) == 1:
            self.plans[mask] = [(firsts[at] + first_out, second[mask], mask, ones[0], others[0])]
        else:
            points = self._several(mask, lefts, firsts, seconds)
            self.plans[mask] = [(a + first_out, b + second_out, mask, one, other) for a, b, _, one, other in points]
        return True

    def _several(self, mask: int, lefts: list[int], firsts: list[float], seconds: list[float]) -> list[Point]:
        """The joins that make up a set, without its output, when none is the best in both terms."""
        points: list[Point] = []
        for left, first, second in zip(lefts, firsts, seconds, strict=True):
            ones, others = self.plans[left], self.plans[mask ^ left]
            if len(ones) == len(others) == 1:
                points.append((first, second, len(points), ones[0], others[0]))
                continue
            for one in ones:
                for other in others:
                    points.append((one[0] + other[0], one[1] + other[1], len(points), one, other))
        return _corners(sorted(points))


def _corners(points: list[Point]) -> list[Point]:
    """Of ascending points those that are the best for some weights of the terms: the lower left of their convex hull.

    Only these can be part of the best by the ratio. Whatever is joined later adds the same to each plan of a set, and a
    function that is concave and grows in both terms has its least value over any points at such a corner.
    """
    corners: list[Point] = []
    for point in points:
        if not corners or point[1] * ROUNDING < corners[-1][1]:
            while len(corners) > 1 and _above(corners[-2], corners[-1], point):
                corners.pop()
            corners.append(point)
    return corners


def _above(before: Point, point: Point, after: Point) -> bool:
    """Whether a point lies on or above the line between its neighbours."""
    return (point[1] - before[1]) * (after[0] - before[0]) >= (after[1] - before[1]) * (point[0] - before[0])
