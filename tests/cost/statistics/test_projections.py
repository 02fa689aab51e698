"""What projections, limits, samples and unions put out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cost.statistics.samples import COLUMNS, table
from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.projections import Output, limited, projected, sampled, skipped, united
from tuner.cost.statistics.relation import Statistics, bytes_alone

UNKNOWN = Statistics(None, 4900, COLUMNS, frozenset({frozenset({1})}))
# By types alone.
WIDTH = 8 + 4 + 4 + 20 + 4 + 1 + 4 + 4


def test_a_projection_renames_computes_and_repeats() -> None:
    child = replace(table(), unique=frozenset({frozenset({1}), frozenset({2})}))
    output = [
        Output(11, "int", 1),
        Output(12, "string", 3),
        Output(13, "int"),
        Output(14, "int", literal="7"),
        Output(15, "string", literal="x"),
        Output(16, "date", literal="null"),
    ]
    found = projected(child, output)
    assert found.rows == 1000
    assert found.columns == {
        11: COLUMNS[1],
        12: COLUMNS[3],
        13: ColumnStatistics("int"),
        14: ColumnStatistics("int", 1, 7, 7, 0, 4, 4),
        15: ColumnStatistics("string", 1, None, None, 0, 20, 20),
        16: ColumnStatistics("date", 0, None, None, 1000, 4, 4),
    }
    assert found.bytes == 1000 * (8 + 4 + (5 + 12) + 4 + 4 + (20 + 12) + 4)
    assert found.unique == {frozenset({11})}


def test_a_projection_of_unknown_rows_narrows_the_bytes() -> None:
    found = projected(UNKNOWN, [Output(11, "int", 1)])
    assert (found.rows, found.bytes, found.unique) == (None, 4900 * 12 // WIDTH, {frozenset({11})})


@pytest.mark.parametrize(("limit", "rows"), [(10, 10), (5000, 1000), (0, 0)])
def test_a_limit_forgets_columns(limit: int, rows: int) -> None:
    found = limited(table(), limit)
    assert (found.rows, found.bytes) == (rows, rows * WIDTH or 1)
    assert found.columns[1] == ColumnStatistics("int")


def test_a_limit_of_unknown_rows_is_all_that_is_known() -> None:
    assert limited(UNKNOWN, 10).rows == 10


@pytest.mark.parametrize(("offset", "rows"), [(10, 990), (5000, 0)])
def test_an_offset(offset: int, rows: int) -> None:
    found = skipped(table(), offset)
    assert found.rows == rows
    assert found.bytes == (table().bytes // 1000 * rows or 1)
    assert skipped(UNKNOWN, 5).rows == 0


def test_a_sample() -> None:
    found = sampled(replace(table(), unique=UNKNOWN.unique), 0.0333)
    assert (found.rows, found.unique) == (34, UNKNOWN.unique)
    assert sampled(UNKNOWN, 0.5).bytes == 2450
    assert sampled(UNKNOWN, 0.5, replacement=True).unique == frozenset()
    assert sampled(UNKNOWN, 0.0).bytes == 1


def test_a_union_covers_all_its_children() -> None:
    left = table(100, {1: COLUMNS[1], 3: COLUMNS[3], 5: COLUMNS[5], 6: COLUMNS[6]})
    right = table(20, {2: COLUMNS[2], 3: COLUMNS[3], 5: COLUMNS[5], 6: COLUMNS[1]})
    found = united([left, right], [Output(1, "int"), Output(3, "string"), Output(5, "boolean"), Output(6, "int")])
    assert (found.rows, found.bytes, found.basis) == (120, left.bytes + right.bytes, Basis.DERIVED)
    assert found.columns == {
        1: ColumnStatistics("int", 100, 1, 150, 200),
        3: ColumnStatistics("string", 20, None, None, 0),
        5: ColumnStatistics("boolean", 2, None, None, 0),
        6: ColumnStatistics("int"),
    }
    few = united([table(3, {1: COLUMNS[1]}), table(4, {2: COLUMNS[2]})], [Output(1, "int")])
    assert few.columns[1].distinct == 7
    unknown = united([UNKNOWN, table()], [Output(id_, column.type) for id_, column in COLUMNS.items()])
    assert (unknown.rows, unknown.basis) == (None, Basis.ASSUMED)


def test_what_has_no_estimate_has_bytes_alone() -> None:
    found = bytes_alone(table(), {**COLUMNS, 90: ColumnStatistics("bigint")})
    assert (found.rows, found.bytes) == (None, table().bytes * (WIDTH + 8) // WIDTH)
    assert found.basis is Basis.ASSUMED
