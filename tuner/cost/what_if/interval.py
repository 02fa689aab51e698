"""Seconds with their errors.

Each source of error is changed alone, by its factor up and down, and everything priced anew: seconds are no product of
sizes and prices, since stages come in waves and wait for each other. The sources do not know of each other, so what
they do to a difference of seconds, which may be below 0, adds up in quadrature. A source that both orders share moves
both, so that only what differs is left in their difference.
A simulation would tell the same, but with noise of its own and at many times the price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tuner.cost.cardinality import Basis
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.join_work import PRICES
from tuner.cost.what_if.sizes import Sizes

# Factors that 90 % of sizes are within, either way: of TPC-DS's joins that were derived from others',
# tests/benchmarks/cardinality_q_error.py.
SIZE_ERRORS: Mapping[Basis, float] = {Basis.MEASURED: 1.0, Basis.DERIVED: 1.7, Basis.ASSUMED: 3.0}


@dataclass(frozen=True, slots=True)
class Interval:
    """Seconds that 90 % of cases are between."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True, slots=True)
class Priced:
    """The sizes and unit costs that seconds stand on."""

    sizes: Sizes
    costs: UnitCosts


def errors(
    sets: Iterable[int], basis_of: Callable[[int], Basis], priced: Priced, price_error: float
) -> Iterator[tuple[Priced, Priced]]:
    """What each source of error makes of sizes or costs, up and down.

    Unit costs err each for itself. A size's error is made where a set of relations is first estimated, and sets that
    contain it, estimated too, err with it: their estimates have the same selectivities in them.
    """
    factors = {s: SIZE_ERRORS[basis_of(s)] for s in sets}
    uncertain = {s: factor for s, factor in factors.items() if factor > 1}
    for first in sorted(uncertain):
        if not any(other != first and other & first == other for other in uncertain):
            together = {s: factor for s, factor in uncertain.items() if s & first == first}
            up, down = (_scaled(priced.sizes, together, way) for way in (1, -1))
            yield replace(priced, sizes=up), replace(priced, sizes=down)
    for price in PRICES if price_error > 1 else ():
        value = getattr(priced.costs, price)
        up_costs, down_costs = (replace(priced.costs, **{price: value * price_error**way}) for way in (1, -1))
        yield replace(priced, costs=up_costs), replace(priced, costs=down_costs)


def _scaled(sizes: Sizes, factors: Mapping[int, float], way: int) -> Sizes:
    def scaled(relations: int) -> Size:
        size = sizes[relations]
        factor = factors.get(relations, 1.0) ** way
        return Size(size.rows * factor, size.bytes * factor)

    return Sizes(scaled)


def difference_interval(expected: float, changed: Iterable[tuple[float, float]]) -> Interval:
    """A difference of seconds, from what each source of error makes of it."""
    down, up = _quadrature([seconds - expected for seconds in both] for both in changed)
    return Interval(expected - down, expected, expected + up)


def _quadrature(changes: Iterable[list[float]]) -> tuple[float, float]:
    """How far all together go down and up."""
    down = up = 0.0
    for both in changes:
        down += min(0.0, *both) ** 2
        up += max(0.0, *both) ** 2
    return math.sqrt(down), math.sqrt(up)
