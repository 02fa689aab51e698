"""Errors of seconds, and of what one order saves against another."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.cost.what_if.graphs import CHAIN, CLUSTER, LARGE, MB, what_if
from tuner.cost.cardinality import Basis
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import Interval, WhatIf
from tuner.cost.what_if.interval import Priced, difference_interval, errors
from tuner.cost.what_if.sizes import Sizes

DERIVED = {0b011: Basis.DERIVED, 0b110: Basis.ASSUMED}
# All but one of the prices are nothing.
FREE = {field.name: 0.0 for field in fields(UnitCosts)}
# The join of the first two puts out much, that of the last two nothing.
LEFT_IS_LARGE = {**LARGE, 0b011: Size(1e6, 100 * MB), 0b110: Size(0, 0)}


def saving(of: WhatIf) -> Interval:
    """What joining the last two first saves."""
    return of.saving(of.order(((0, 1), 2)), of.order((0, (1, 2))))


def basis_of(relations: int) -> Basis:
    return DERIVED.get(relations, Basis.MEASURED)


def test_what_is_measured_at_exact_prices_has_no_error() -> None:
    found = saving(what_if(LEFT_IS_LARGE, CHAIN, price_error=1.0))
    assert found.low == found.expected == found.high > 0


def test_seconds_of_one_price_are_within_its_factor() -> None:
    found = saving(what_if(LEFT_IS_LARGE, CHAIN, costs=UnitCosts(**{**FREE, "sort": 100.0}), price_error=2.0))
    assert found.expected > 0
    assert (found.low, found.high) == pytest.approx((found.expected / 2, found.expected * 2))


def test_errors_that_do_not_know_of_each_other_add_up_in_quadrature() -> None:
    assert difference_interval(-1.0, [(2.0, -4.0), (3.0, -5.0)]) == Interval(-6.0, -1.0, 4.0)


def test_an_error_that_only_raises_a_difference_leaves_the_low_end() -> None:
    assert difference_interval(10.0, [(20.0, 10.0)]) == Interval(10.0, 10.0, 20.0)


@pytest.mark.parametrize(("basis", "factor"), [(Basis.MEASURED, 1.0), (Basis.DERIVED, 1.7), (Basis.ASSUMED, 3.0)])
def test_an_uncertain_size_widens_the_interval_by_its_basis(basis: Basis, factor: float) -> None:
    emits = UnitCosts(**{**FREE, "emit": 1e4})
    found = saving(
        what_if(
            LEFT_IS_LARGE,
            CHAIN,
            costs=emits,
            basis_of=lambda s: basis if s == 0b11 else Basis.MEASURED,
            price_error=1.0,
        )
    )
    assert found.expected > 0
    assert (found.low, found.high) == pytest.approx((found.expected / factor, found.expected * factor))


def test_a_set_errs_with_the_uncertain_sets_it_contains() -> None:
    bases = {0b0011: Basis.DERIVED, 0b0111: Basis.ASSUMED, 0b1100: Basis.DERIVED}
    priced = Priced(Sizes(lambda _: Size(1, 1)), UnitCosts())
    sets = [0b0001, 0b0011, 0b0111, 0b1100, 0b1111]
    found = [up for up, _ in errors(sets, lambda s: bases.get(s, Basis.MEASURED), priced, 1.0)]
    assert [[round(up.sizes[s].rows, 1) for s in sets] for up in found] == [[1, 1.7, 3, 1, 1], [1, 1, 1, 1.7, 1]]


def test_what_two_orders_share_cancels_in_their_difference() -> None:
    both = what_if(LARGE, CHAIN, basis_of=basis_of)
    order = both.order(((0, 1), 2))
    assert both.saving(order, order) == Interval(0.0, 0.0, 0.0)
    other = both.order((0, (1, 2)))
    found = both.saving(order, other)
    assert found.low < found.expected < found.high
    assert found.expected == pytest.approx(order.seconds(CLUSTER) - other.seconds(CLUSTER))
