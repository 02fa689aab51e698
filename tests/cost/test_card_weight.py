"""The weight of rows against bytes, fitted to timed orders."""

from __future__ import annotations

import pytest

from tuner.cost.card_weight import HELD_BY_PAIRS, FittedWeight, TimedOrder, fit_weight, shrunk_weight
from tuner.spark.order_cost import Cost

# Fewer rows but wider ones: by rows the first is cheaper, by bytes the second.
FEW_WIDE, MANY_NARROW = Cost(100, 9_000), Cost(300, 3_000)


def timed(cost: Cost, seconds: float) -> TimedOrder:
    return TimedOrder(cost, seconds)


@pytest.mark.parametrize(("few", "many", "low", "high"), [(10, 20, 0.5, 1.0), (20, 10, 0.0, 0.5)])
def test_times_tell_whether_rows_or_bytes_count(few: float, many: float, low: float, high: float) -> None:
    fitted = fit_weight([[timed(FEW_WIDE, few), timed(MANY_NARROW, many)]], current=0.5)
    assert fitted is not None
    assert low <= fitted.weight <= high
    assert (fitted.concordance, fitted.before, fitted.pairs) == (1.0, 0.5, 1)


def test_a_weight_that_ranks_as_well_as_any_stays() -> None:
    fitted = fit_weight([[timed(FEW_WIDE, 10), timed(MANY_NARROW, 20)]], current=0.7)
    assert fitted is not None
    assert (fitted.weight, fitted.before) == (0.7, 1.0)


def test_of_equals_the_nearest_wins() -> None:
    fitted = fit_weight([[timed(FEW_WIDE, 20), timed(MANY_NARROW, 10)]], current=0.7)
    assert fitted is not None
    assert fitted.weight == 0.45


def test_orders_of_different_blocks_are_not_compared() -> None:
    assert fit_weight([[timed(FEW_WIDE, 10)], [timed(MANY_NARROW, 20)]], current=0.7) is None


def test_times_within_noise_say_nothing() -> None:
    assert fit_weight([[timed(FEW_WIDE, 10), timed(MANY_NARROW, 10.9)]], current=0.7) is None


def test_the_majority_of_pairs_decides() -> None:
    by_rows = [timed(FEW_WIDE, 10), timed(MANY_NARROW, 20)]
    by_bytes = [timed(FEW_WIDE, 20), timed(MANY_NARROW, 10)]
    fitted = fit_weight([by_rows, by_bytes, by_bytes], current=0.7)
    assert fitted is not None
    assert fitted.weight < 0.5
    assert fitted.concordance == pytest.approx(2 / 3)
    assert fitted.before == pytest.approx(1 / 3)


def test_few_pairs_move_the_weight_little_and_many_nearly_all_of_the_way() -> None:
    assert shrunk_weight(None, 0.7) == 0.7
    assert shrunk_weight(FittedWeight(0.2, 1.0, 0.0, HELD_BY_PAIRS), 0.7) == pytest.approx(0.45)
    few, many = (shrunk_weight(FittedWeight(0.2, 1.0, 0.0, pairs), 0.7) for pairs in (1, 1_000))
    assert 0.6 < few < 0.7 and 0.2 < many < 0.21
