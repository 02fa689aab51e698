"""What the planner would estimate with statistics: keys by their tables' rows, nothing of joins that ran."""

from __future__ import annotations

import pytest

from tests.cost.test_cardinality import graph, of, relation
from tuner.cost.cardinality import Basis, Cardinality
from tuner.cost.planner_sizes import planner_sizes

FACT, DAY, ITEM, STOCK = range(4)
# A day in a hundred of a thousand; sales of these days are ten times as many as of others.
SKEWED = graph([relation("fact", 1_000_000), relation("day", 10, 1_000)], [(FACT, DAY, "d")], {(FACT, DAY): 15_000})


def test_a_key_has_as_many_values_as_its_table_has_rows() -> None:
    """Whatever came of the join: 10 of 1,000 days keep a hundredth."""
    assert Cardinality(SKEWED).size(of(FACT, DAY)).rows == 15_000
    assert planner_sizes(SKEWED).size(of(FACT, DAY)).rows == pytest.approx(10_000)


def test_nothing_is_measured() -> None:
    assert planner_sizes(SKEWED).estimate(of(FACT, DAY)).basis is not Basis.MEASURED


def test_columns_that_are_no_keys_have_the_values_that_their_join_tells() -> None:
    many = graph(
        [relation("sales", 100_000), relation("returns", 50_000)], [(FACT, DAY, "i")], {(FACT, DAY): 50_000_000}
    )
    assert planner_sizes(many).size(of(FACT, DAY)).rows == pytest.approx(50_000_000, rel=0.01)


def test_of_several_keys_the_most_selective_counts() -> None:
    """JoinEstimation takes the least of the pairs' rows, not their product."""
    two = graph(
        [relation("sales", 100_000), relation("items", 100, 200), relation("returns", 50_000)],
        [(0, 1, "i"), (0, 2, "i"), (0, 2, "t")],
        {(0, 1): 50_000, (0, 1, 2): 25_000},
    )
    sizes = planner_sizes(two)
    assert sizes.size(of(0, 1)).rows == pytest.approx(50_000)
    assert sizes.size(of(0, 2)).rows > Cardinality(two).size(of(0, 2)).rows / 10
