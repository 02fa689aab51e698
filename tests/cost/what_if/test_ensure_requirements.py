"""Which sides a join shuffles, as EnsureRequirements decides it. Columns are l* and r*, keys compare l1 with r1."""

from __future__ import annotations

import pytest

from tuner.cost.what_if.ensure_requirements import (
    LEFT,
    RIGHT,
    Delivered,
    expanded,
    is_sorted,
    merged_order,
    reordered,
    shuffles,
)
from tuner.cost.what_if.physical_order import Column, Keys
from tuner.model.strategy import BuildSide


def columns(names: str) -> Keys:
    return tuple(column(name) for name in names.split())


def column(name: str) -> Column:
    return (0b01 if name.startswith("l") else 0b10), name


def delivered(*partitioned: str) -> Delivered:
    return Delivered(tuple(columns(names) for names in partitioned))


ONE = ((column("l1"), column("r1")),)
TWO = (*ONE, (column("l2"), column("r2")))
NOTHING = Delivered()


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (NOTHING, NOTHING, {LEFT: "l1 l2", RIGHT: "r1 r2"}),
        (delivered("l1 l2"), NOTHING, {RIGHT: "r1 r2"}),
        (NOTHING, delivered("r1 r2"), {LEFT: "l1 l2"}),
        (delivered("l1 l2"), delivered("r1 r2"), {}),
        # On some of the keys only: not enough for the other side to follow.
        (delivered("l1"), NOTHING, {LEFT: "l1 l2", RIGHT: "r1 r2"}),
        (delivered("l1"), delivered("r1"), {LEFT: "l1 l2", RIGHT: "r1 r2"}),
        (delivered("l1"), delivered("r1 r2"), {LEFT: "l1 l2"}),
        # On more than the keys: equal keys are in several partitions.
        (delivered("l1 l2 l3"), NOTHING, {LEFT: "l1 l2", RIGHT: "r1 r2"}),
        # Any one of several that are equal.
        (delivered("l7 l8", "l1 l2"), NOTHING, {RIGHT: "r1 r2"}),
        # All in one partition, on both sides or on one.
        (delivered(""), delivered(""), {}),
        (delivered(""), NOTHING, {LEFT: "l1 l2", RIGHT: "r1 r2"}),
    ],
)
def test_sides_that_are_shuffled(left: Delivered, right: Delivered, expected: dict[BuildSide, str]) -> None:
    found = shuffles(TWO, left, right, requires_all_keys=True)
    assert found == {side: columns(names) for side, names in expected.items()}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (delivered("l1"), NOTHING, {RIGHT: "r1"}),
        (NOTHING, delivered("r2"), {LEFT: "l2"}),
        (delivered("l1"), delivered("r1"), {}),
        (delivered("l1"), delivered("r2"), {RIGHT: "r1"}),
        (NOTHING, NOTHING, {LEFT: "l1 l2", RIGHT: "r1 r2"}),
    ],
)
def test_where_some_keys_are_enough_the_other_side_follows(
    left: Delivered, right: Delivered, expected: dict[BuildSide, str]
) -> None:
    found = shuffles(TWO, left, right, requires_all_keys=False)
    assert found == {side: columns(names) for side, names in expected.items()}


def test_keys_take_the_order_in_which_a_side_is_partitioned() -> None:
    assert reordered(TWO, delivered("l2 l1"), NOTHING) == TWO[::-1]
    assert reordered(TWO, NOTHING, delivered("r2 r1")) == TWO[::-1]
    assert reordered(TWO, delivered("l2"), delivered("l2 l1 l3")) == TWO
    assert shuffles(TWO[::-1], delivered("l2 l1"), NOTHING, requires_all_keys=True) == {RIGHT: columns("r2 r1")}


def test_partitions_in_another_order_are_other_partitions() -> None:
    found = shuffles(TWO, delivered("l1 l2"), delivered("r2 r1"), requires_all_keys=True)
    assert found == {RIGHT: columns("r1 r2")}


def test_an_order_serves_its_first_columns() -> None:
    rows = Delivered((), (frozenset(columns("l1 r1")), frozenset(columns("l2"))))
    assert is_sorted(rows, columns("l1"))
    assert is_sorted(rows, columns("r1 l2"))
    assert not is_sorted(rows, columns("l2"))
    assert not is_sorted(rows, columns("l1 l2 l3"))


def test_merged_rows_are_in_the_order_of_both_sides_and_of_what_was_the_same() -> None:
    rows = Delivered((), (frozenset(columns("l1 l9")),))
    assert merged_order(ONE, rows, NOTHING) == (frozenset(columns("l1 l9 r1")),)
    assert merged_order(TWO, rows, NOTHING) == (frozenset(columns("l1 r1")), frozenset(columns("l2 r2")))


def test_partitions_of_a_broadcast_join_go_by_the_build_sides_columns_too() -> None:
    equal = dict(TWO)
    assert expanded((columns("l1"),), equal, 8) == (columns("l1"), columns("r1"))
    assert expanded((columns("l1 l2"),), equal, 3) == (columns("l1 l2"), columns("l1 r2"), columns("r1 l2"))
    assert expanded((columns("l1"),), equal, 0) == (columns("l1"),)
    assert expanded((columns("l9"),), equal, 8) == (columns("l9"),)
