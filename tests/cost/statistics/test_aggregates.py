"""What aggregates put out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost.statistics.samples import COLUMNS, table
from tuner.cost.cardinality import Basis
from tuner.cost.statistics.aggregates import aggregated
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.projections import Output
from tuner.cost.statistics.relation import Statistics

COUNT = Output(90, "bigint")
KEPT = [Output(1, "int", 1), Output(91, "int", 2), COUNT]


@pytest.mark.parametrize(
    ("grouping", "rows"),
    [
        ([1], 100),
        # Null is a group too.
        ([2], 11),
        ([3, 2], 220),
        # No more groups than rows.
        ([1, 3], 1000),
        ([7], 1),
        ([], 1),
        # Nothing known, computed, not there.
        ([6], None),
        ([None], None),
        ([1, None], None),
        ([99], None),
    ],
)
def test_groups(grouping: list[int | None], rows: int | None) -> None:
    assert aggregated(table(), grouping, KEPT).rows == rows


def test_columns_are_those_put_out() -> None:
    found = aggregated(table(), [1, 2], KEPT)
    assert found.columns == {1: COLUMNS[1], 91: COLUMNS[2], 90: ColumnStatistics("bigint")}
    assert found.bytes == 1000 * (8 + 4 + 4 + 8)


def test_groups_are_unique_by_the_names_they_are_put_out_under() -> None:
    assert aggregated(table(), [1, 2], KEPT).unique == {frozenset({1, 91})}
    assert aggregated(table(), [2], [COUNT]).unique == frozenset()
    assert aggregated(table(), [1, None], KEPT).unique == frozenset()
    already = replace(table(), unique=frozenset({frozenset({1})}))
    assert aggregated(already, [1, 2], KEPT).unique == {frozenset({1}), frozenset({1, 91})}


def test_what_aggregates_stand_on() -> None:
    assert aggregated(table(), [], [COUNT]).basis is Basis.DERIVED
    assert aggregated(table(), [2], KEPT).basis is Basis.DERIVED
    # That all combinations of values occur.
    assert aggregated(table(), [2, 3], KEPT).basis is Basis.ASSUMED
    assert aggregated(table(), [6], KEPT).basis is Basis.ASSUMED


def test_without_rows_bytes_follow_the_width_and_one_row_is_still_one() -> None:
    unknown = Statistics(None, 4200, COLUMNS)
    assert aggregated(unknown, [], [COUNT]).rows == 1
    grouped = aggregated(unknown, [2], KEPT)
    width = 8 + 4 + 4 + 20 + 4 + 1 + 4 + 4
    assert (grouped.rows, grouped.bytes) == (None, 4200 * 24 // width)
    assert grouped.columns[91] == ColumnStatistics("int")


@given(st.integers(0, 500), st.lists(st.sampled_from(list(COLUMNS)), max_size=4))
def test_more_columns_make_more_groups(rows: int, grouping: list[int]) -> None:
    grouping = [column for column in grouping if COLUMNS[column].has_counts]
    groups = [aggregated(table(rows), grouping[:count], KEPT).rows or 0 for count in range(len(grouping) + 1)]
    assert groups[1:] == sorted(groups[1:])
    assert all(count <= rows for count in groups[1:])
