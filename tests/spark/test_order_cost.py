"""Spark's cost of a join order, in both of its forms."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.spark.order_cost import Cost, order_cost, weighted_ratio, weighted_sum

_positive = st.floats(1e-6, 1e18)
_costs = st.builds(Cost, st.floats(0, 1e18), st.floats(0, 1e18))


def test_an_order_costs_the_sum_of_its_intermediate_joins() -> None:
    assert order_cost([Cost(10, 100), Cost(5, 40)]) == Cost(15, 140)
    assert order_cost([]) == Cost(0, 0)


def test_the_sum_weighs_rows_and_bytes() -> None:
    assert weighted_sum(Cost(100, 1000)) == pytest.approx(0.7 * 100 + 0.3 * 1000)
    assert weighted_sum(Cost(100, 1000), weight=1.0) == 100


def test_the_ratio_is_a_weighted_geometric_mean() -> None:
    assert weighted_ratio(Cost(8, 16), Cost(1, 1), weight=0.5) == pytest.approx(math.sqrt(8 * 16))
    assert weighted_ratio(Cost(200, 100), Cost(100, 100)) == pytest.approx(2**0.7)


def test_bytes_swamp_rows_in_the_sum_but_not_in_the_ratio() -> None:
    """Why SPARK-34922 changed the form: ten times the rows for a little fewer bytes is no bargain."""
    few_rows, few_bytes = Cost(1_000, 1_000_000), Cost(10_000, 950_000)
    assert weighted_sum(few_bytes) < weighted_sum(few_rows)
    assert weighted_ratio(few_bytes, few_rows) > 1


@pytest.mark.parametrize(
    ("cost", "other", "expected"),
    [
        (Cost(0, 0), Cost(0, 0), 1.0),
        (Cost(5, 5), Cost(0, 0), math.inf),
        (Cost(0, 10), Cost(5, 0), math.inf),
        (Cost(10, 0), Cost(0, 5), math.inf),
        (Cost(0, 0), Cost(5, 5), 0.0),
    ],
)
def test_zeros_never_make_a_number_that_cannot_be_compared(cost: Cost, other: Cost, expected: float) -> None:
    assert weighted_ratio(cost, other) == expected


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan])
def test_a_weight_outside_its_range_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match=r"card\.weight"):
        weighted_sum(Cost(1, 1), weight)
    with pytest.raises(ValueError, match=r"card\.weight"):
        weighted_ratio(Cost(1, 1), Cost(1, 1), weight)


@given(st.builds(Cost, _positive, _positive), st.builds(Cost, _positive, _positive), st.floats(0, 1))
def test_of_two_plans_exactly_one_is_the_cheaper(a: Cost, b: Cost, weight: float) -> None:
    assert weighted_ratio(a, b, weight) * weighted_ratio(b, a, weight) == pytest.approx(1)


@given(_costs, _costs, st.floats(0, 1))
def test_the_ratio_is_always_a_number(a: Cost, b: Cost, weight: float) -> None:
    assert weighted_ratio(a, b, weight) >= 0
