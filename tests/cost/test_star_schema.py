"""Stars as Spark's StarSchemaDetection finds them, and the filter they are for the search."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tuner.cost.join_edges import edge
from tuner.cost.join_order import best_order
from tuner.cost.star_schema import ColumnComparison, KeyColumn, Star, find_star

from .join_graphs import filtered_keys

FOREIGN = KeyColumn(distinct=1000, nulls=0, table_rows=1e6)
KEY = KeyColumn(distinct=1000, nulls=0, table_rows=1000)

# Relations 0 fact, 1 and 2 dimensions, 3 beside 2.
ROWS = [1e6, 500.0, 1000.0, 200_000.0]
JOINS = [
    ColumnComparison(0, 1, FOREIGN, KEY),
    ColumnComparison(2, 0, KEY, FOREIGN),
    ColumnComparison(2, 3, KEY, FOREIGN),
]


def test_the_largest_relation_and_those_joined_to_it_on_their_keys() -> None:
    star = find_star(ROWS, JOINS)
    assert star == Star(fact=0, dimensions=(1, 2), rest=0b1000)
    assert star.mask == 0b0111


@pytest.mark.parametrize(
    ("distinct", "nulls", "unique"),
    [(1000, 0, True), (900, 0, True), (1099, 0, True), (899, 0, False), (1000, 1, False)],
)
def test_a_key_is_unique_up_to_twice_the_error_of_its_estimate(distinct: float, nulls: float, unique: bool) -> None:
    key = KeyColumn(distinct, nulls, 1000)
    assert key.is_unique() is unique
    joins = [replace(JOINS[0], right_column=key), *JOINS[1:]]
    assert (find_star(ROWS, joins) is not None) is unique


def test_a_table_of_nothing_has_no_key() -> None:
    assert not KeyColumn(0, 0, 0).is_unique()


def test_two_relations_as_large_as_each_other_make_no_star() -> None:
    assert find_star([*ROWS[:3], 900_000.0], JOINS) is not None
    assert find_star([*ROWS[:3], 900_001.0], JOINS) is None
    assert find_star([*ROWS[:3], 900_001.0], JOINS, fact_ratio=0.95) is not None


def test_what_is_not_known_makes_no_star() -> None:
    assert find_star([*ROWS[:3], None], JOINS) is None
    assert find_star(ROWS, [replace(JOINS[0], right_column=None), *JOINS[1:]]) is None
    assert find_star(ROWS, [replace(JOINS[0], left_column=None), *JOINS[1:]]) is None


def test_one_dimension_is_no_star_nor_is_a_comparison_other_than_equality() -> None:
    assert find_star(ROWS[:2], JOINS[:1]) is None
    assert find_star(ROWS, [replace(JOINS[0], equal=False), *JOINS[1:]]) is None


def test_of_several_conditions_one_on_a_key_is_enough() -> None:
    assert find_star(ROWS, [ColumnComparison(0, 1, FOREIGN, FOREIGN, equal=False), *JOINS]) is not None


def test_the_star_is_joined_before_anything_else_joins_it() -> None:
    """JoinReorderDPFilters.starJoinFilter: fact f1 0, dimensions d1 1 and d2 2; t1 3 beside d1, t2 4 and t3 5 beside t2."""
    edges = [edge(0, 1), edge(0, 2), edge(1, 3), edge(1, 4), edge(4, 5)]
    star = Star(0, (1, 2), 0b111000)
    for seed in range(20):
        size_of = filtered_keys(6, edges, random.Random(seed)).size_of()
        found = best_order(6, edges, size_of, allowed=star.allows)
        assert found.exact
        assert all(star.allows(join.mask) for join in found.tree.joins)
        assert star.mask in {join.mask for join in found.tree.joins}
        assert best_order(6, edges, size_of).value <= found.value


def test_a_block_that_is_all_star_is_not_filtered() -> None:
    star = Star(0, (1, 2), 0)
    assert all(star.allows(joined) for joined in range(8))
