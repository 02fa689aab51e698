"""What joins put out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost.statistics.samples import table
from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.joins import KeyPair, equal_keys, joined
from tuner.cost.statistics.relation import Statistics, output_bytes
from tuner.model.strategy import JoinType
from tuner.plan.condition import read_condition

LEFT = table(
    1000,
    {
        1: ColumnStatistics("int", 100, 1, 100, 0, 4, 4),
        2: ColumnStatistics("string", 20, None, None, 50, 5, 9),
        3: ColumnStatistics("int", 10, 1, 10, 0, 4, 4),
        4: ColumnStatistics("int", None, 1, 10, None),
    },
)
RIGHT = table(
    200,
    {
        11: ColumnStatistics("int", 50, 51, 150, 20, 4, 4),
        12: ColumnStatistics("string", 40, None, None, 0, 8, 12),
        13: ColumnStatistics("int", 200, 1, 200, 0, 4, 4),
        14: ColumnStatistics("int", 5, 500, 600, 0, 4, 4),
    },
)
KINDS = (JoinType.INNER, JoinType.LEFT_OUTER, JoinType.FULL_OUTER, JoinType.LEFT_SEMI, JoinType.LEFT_ANTI)


@pytest.mark.parametrize(
    ("keys", "inner", "left_outer", "full_outer"),
    [
        ([(1, 11)], 2000, 2000, 2000),
        ([(2, 12)], 5000, 5000, 5000),
        ([(3, 13)], 1000, 1000, 1000),
        # The pair that keeps fewest, whatever its place.
        ([(1, 11), (3, 13)], 1000, 1000, 1000),
        ([(3, 13), (1, 11)], 1000, 1000, 1000),
        # Ranges that do not meet.
        ([(1, 14)], 0, 1000, 1200),
        ([(3, 13), (1, 14)], 0, 1000, 1200),
        # Nothing known of a key, or computed: as without.
        ([(4, 11)], 200_000, 200_000, 200_000),
        ([(None, 11)], 200_000, 200_000, 200_000),
        ([(None, None), (1, 11)], 2000, 2000, 2000),
        ([], 200_000, 200_000, 200_000),
    ],
)
def test_rows(keys: list[KeyPair], inner: int, left_outer: int, full_outer: int) -> None:
    rows = [joined(LEFT, RIGHT, kind, keys).rows for kind in KINDS]
    assert rows == [inner, left_outer, full_outer, 1000, 1000]


def test_keys_afterwards_have_what_both_have() -> None:
    met = joined(LEFT, RIGHT, JoinType.INNER, [(1, 11)])
    assert met.columns[1] == met.columns[11] == ColumnStatistics("int", 50, 51, 100, 0, 4, 4)
    met = joined(LEFT, RIGHT, JoinType.INNER, [(2, 12)])
    assert met.columns[2] == met.columns[12] == ColumnStatistics("string", 20, None, None, 0, 6, 9)


def test_other_columns_go_down_with_the_rows_only() -> None:
    few = replace(RIGHT, rows=10)
    met = joined(LEFT, few, JoinType.INNER, [(3, 13)])
    assert met.rows == 50
    assert met.columns[1].distinct == 5
    assert met.columns[2] == replace(LEFT.columns[2], distinct=1, nulls=3)
    assert met.columns[12] == few.columns[12]
    assert met.columns[4] == ColumnStatistics("int")
    assert met.bytes == output_bytes(met.columns.values(), 50)


def test_an_outer_side_keeps_its_columns() -> None:
    outer = joined(LEFT, RIGHT, JoinType.LEFT_OUTER, [(1, 11)])
    assert outer.columns[1] == LEFT.columns[1]
    assert outer.columns[11].max == 100
    assert joined(LEFT, RIGHT, JoinType.FULL_OUTER, [(1, 11)]).columns == {**LEFT.columns, **RIGHT.columns}


def test_where_nothing_meets_the_other_side_is_null() -> None:
    outer = joined(LEFT, RIGHT, JoinType.LEFT_OUTER, [(1, 14)])
    assert outer.columns[1] == LEFT.columns[1]
    assert outer.columns[12] == ColumnStatistics("string", 0, None, None, 1000, 20, 20)
    full = joined(LEFT, RIGHT, JoinType.FULL_OUTER, [(1, 14)])
    assert (full.columns[2].nulls, full.columns[11].nulls) == (250, 1020)
    inner = joined(LEFT, RIGHT, JoinType.INNER, [(1, 14)])
    assert (inner.bytes, inner.columns[1]) == (1, ColumnStatistics("int"))


def test_each_row_meets_at_most_one_of_a_unique_side() -> None:
    unique = replace(RIGHT, unique=frozenset({frozenset({11})}), columns={11: ColumnStatistics("int")})
    assert joined(LEFT, unique, JoinType.INNER, [(1, 11)]).rows == 1000
    assert joined(LEFT, unique, JoinType.INNER, [(1, 11)]).basis is Basis.DERIVED
    assert joined(unique, LEFT, JoinType.INNER, [(11, 1)]).rows == 1000
    assert joined(unique, unique, JoinType.INNER, [(11, 11)]).rows == 200
    assert joined(LEFT, unique, JoinType.INNER, [(1, None)]).rows == 200_000


def test_unique_columns_stay_unique_where_rows_are_not_repeated() -> None:
    left = replace(LEFT, unique=frozenset({frozenset({3})}))
    right = replace(RIGHT, unique=frozenset({frozenset({11})}))
    assert joined(left, right, JoinType.INNER, [(1, 11)]).unique == left.unique
    assert joined(left, right, JoinType.INNER, [(3, 13)]).unique == right.unique
    assert joined(left, right, JoinType.LEFT_OUTER, [(3, 13)]).unique == frozenset()
    assert joined(left, right, JoinType.INNER, [(3, 11)]).unique == left.unique | right.unique
    assert joined(left, right, JoinType.LEFT_SEMI, [(1, 14)]).unique == left.unique


def test_what_joins_stand_on() -> None:
    assert joined(LEFT, RIGHT, JoinType.INNER, [(1, 11)]).basis is Basis.DERIVED
    assert joined(LEFT, RIGHT, JoinType.CROSS, []).basis is Basis.DERIVED
    assert joined(LEFT, RIGHT, JoinType.INNER, []).basis is Basis.ASSUMED
    assert joined(LEFT, RIGHT, JoinType.INNER, [(4, 11)]).basis is Basis.ASSUMED
    assert joined(LEFT, RIGHT, JoinType.LEFT_SEMI, [(1, 11)]).basis is Basis.ASSUMED
    assert joined(replace(LEFT, basis=Basis.ASSUMED), RIGHT, JoinType.INNER, [(1, 11)]).basis is Basis.ASSUMED


@pytest.mark.parametrize("kind", [JoinType.INNER, JoinType.EXISTENCE, JoinType.UNKNOWN])
def test_without_rows_bytes_are_multiplied(kind: JoinType) -> None:
    unknown = Statistics(None, 7, RIGHT.columns)
    met = joined(LEFT, unknown, kind, [(1, 11)])
    assert (met.rows, met.bytes, met.columns[1]) == (None, LEFT.bytes * 7, ColumnStatistics("int"))


def test_nulls_alone_meet_nothing() -> None:
    nulls = table(10, {1: ColumnStatistics("int", 0, None, None, 10, 4, 4), 2: ColumnStatistics("string", 0, nulls=10)})
    others = table(10, {11: RIGHT.columns[11], 12: ColumnStatistics("string", 0, nulls=10)})
    assert joined(nulls, others, JoinType.INNER, [(1, 11)]).rows == 0
    assert joined(nulls, others, JoinType.INNER, [(2, 12)]).rows == 0


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("(a#1 = b#11)", ((1, 11),)),
        ("(b#11 = a#1)", ((1, 11),)),
        ("(((a#1 = b#11) AND (c#3 > 5)) AND (d#12 = e#2))", ((1, 11), (2, 12))),
        ("((a#1 = 5) AND (a#1 = c#3))", ()),
        ("(a#1 < b#11)", ()),
        ("(cast(a#1 as bigint) = b#11)", ((None, 11),)),
        ("((a#1 + c#3) = b#11)", ((None, 11),)),
        ("((a#1 + b#11) = b#11)", ()),
        ("(a#1 <=> b#11)", ((None, None),)),
        ("((a#1 = b#11) OR (c#3 = d#12))", ()),
        ("true", ()),
    ],
)
def test_keys_of_a_condition(text: str, keys: tuple[KeyPair, ...]) -> None:
    assert equal_keys(read_condition(text), LEFT, RIGHT) == keys


def columns(first: int) -> st.SearchStrategy[dict[int, ColumnStatistics]]:
    spans = st.tuples(st.integers(-9, 30), st.integers(-9, 30)).map(sorted) | st.just([None, None])
    counted = st.builds(
        lambda distinct, span, nulls: ColumnStatistics("int", distinct, *span, nulls, 4, 4),
        st.integers(0, 40) | st.none(),
        spans,
        st.integers(0, 9) | st.none(),
    )
    return st.tuples(counted, counted).map(lambda pair: dict(enumerate(pair, first)))


SIDES = st.tuples(st.builds(table, st.integers(0, 300), columns(1)), st.builds(table, st.integers(0, 300), columns(11)))
KEYS = st.lists(st.tuples(st.sampled_from([1, 2, None]), st.sampled_from([11, 12, None])), max_size=3)


@given(SIDES, KEYS)
def test_bounds_of_joins(sides: tuple[Statistics, Statistics], keys: list[KeyPair]) -> None:
    left, right = sides
    inner, outer, full, semi, anti = (joined(left, right, kind, keys) for kind in KINDS)
    rows = [found.rows or 0 for found in (left, right, inner, outer, full, semi, anti)]
    assert 0 <= rows[2] <= rows[0] * rows[1]
    assert rows[3] >= rows[2] and rows[4] >= rows[3]
    if keys:
        assert rows[3] >= rows[0] and rows[4] >= max(rows[0], rows[1])
    assert rows[5] <= rows[0] and rows[6] <= rows[0] <= rows[5] + rows[6]
    assert all(found.bytes >= 1 for found in (inner, outer, full, semi, anti))
    assert inner.columns.keys() == left.columns.keys() | right.columns.keys()
    assert semi.columns.keys() == anti.columns.keys() == left.columns.keys()


@given(SIDES, KEYS)
def test_an_inner_join_has_no_order(sides: tuple[Statistics, Statistics], keys: list[KeyPair]) -> None:
    left, right = sides
    one = joined(left, right, JoinType.INNER, keys)
    other = joined(right, left, JoinType.INNER, [(b, a) for a, b in keys])
    assert (one.rows, one.bytes, one.columns) == (other.rows, other.bytes, other.columns)
