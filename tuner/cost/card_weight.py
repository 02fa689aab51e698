"""The weight of rows against bytes in Spark's cost of a join order, fitted to orders that were run and timed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tuner.spark.order_cost import Cost, weighted_ratio

_GRID = tuple(step / 20 for step in range(21))
# Times of the same order differ by this share from run to run: closer ones do not say which order is better.
NOISE = 0.1
# Pairs of one job come from a few queries, and tell little of others: ten of them count as much as the weight in force.
HELD_BY_PAIRS = 10


@dataclass(frozen=True, slots=True)
class TimedOrder:
    """An order of one block: its cost by measured sizes, and the wall seconds of its query."""

    cost: Cost
    seconds: float


@dataclass(frozen=True, slots=True)
class FittedWeight:
    """The weight that ranks the most pairs of orders of one block as their times do.

    `concordance` is the share of the `pairs` it ranks right (a tie counts half), `before` that of the current weight.
    """

    weight: float
    concordance: float
    before: float
    pairs: int


def fit_weight(blocks: Iterable[Sequence[TimedOrder]], current: float) -> FittedWeight | None:
    """The weight of the grid with the highest concordance, of equals the nearest to the current one.

    Pairs are of one block each, and differ by more than noise; None where there are none.
    """
    pairs = [pair for orders in blocks for pair in _pairs(orders)]
    if not pairs:
        return None
    ranked = {weight: concordance(pairs, weight) for weight in (current, *_GRID)}
    best = max(ranked, key=lambda weight: (ranked[weight], -abs(weight - current), -weight))
    return FittedWeight(best, ranked[best], ranked[current], len(pairs))


def shrunk_weight(fitted: FittedWeight | None, current: float) -> float:
    """The fitted weight as far as its pairs bear it out: halfway from the current one with HELD_BY_PAIRS, nearer with fewer."""
    if fitted is None:
        return current
    return (fitted.pairs * fitted.weight + HELD_BY_PAIRS * current) / (fitted.pairs + HELD_BY_PAIRS)


def concordance(pairs: Sequence[tuple[TimedOrder, TimedOrder]], weight: float) -> float:
    """The share of pairs whose faster order, which comes first, is the cheaper one by this weight."""
    return sum(_is_right(fast, slow, weight) for fast, slow in pairs) / len(pairs)


def _is_right(fast: TimedOrder, slow: TimedOrder, weight: float) -> float:
    ratio = weighted_ratio(fast.cost, slow.cost, weight)
    return 0.5 if math.isclose(ratio, 1) else float(ratio < 1)


def _pairs(orders: Sequence[TimedOrder]) -> Iterator[tuple[TimedOrder, TimedOrder]]:
    for one, other in combinations(orders, 2):
        fast, slow = sorted((one, other), key=lambda order: order.seconds)
        if fast.seconds * (1 + NOISE) < slow.seconds:
            yield fast, slow
