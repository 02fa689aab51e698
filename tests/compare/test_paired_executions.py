"""Which execution is compared with which."""

from __future__ import annotations

from tests.compare.jobs import execution
from tuner.compare.paired_executions import paired_executions
from tuner.model.query import Query


def loop(*days: str) -> list[Query]:
    return [execution(literals=day, id=number) for number, day in enumerate(days)]


def numbers(before: list[Query], after: list[Query]) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    (found,) = paired_executions(before, after)
    only = ([query.id for query in several] for several in (found.only_before, found.only_after))
    return ([(one.id, other.id) for one, other in found.both], *only)


def test_equal_values_first_then_in_the_order_in_which_they_ran() -> None:
    assert numbers(loop("a", "b", "c"), loop("c", "x", "a")) == ([(2, 0), (0, 2), (1, 1)], [], [])


def test_what_is_left_over_ran_in_one_run_alone() -> None:
    assert numbers(loop("a", "b", "c"), loop("b")) == ([(1, 0)], [0, 2], [])
    assert numbers(loop("a"), loop("a", "a", "a")) == ([(0, 0)], [], [1, 2])


def test_where_no_values_are_known_the_order_tells() -> None:
    assert numbers(loop("", ""), loop("", "", "")) == ([(0, 0), (1, 1)], [], [2])


def test_another_query_is_paired_with_none() -> None:
    found = paired_executions([execution("q1")], [execution("q2")])
    assert [(one.fingerprint, len(one.both), len(one.only_before), len(one.only_after)) for one in found] == [
        ("q1", 0, 1, 0),
        ("q2", 0, 0, 1),
    ]
