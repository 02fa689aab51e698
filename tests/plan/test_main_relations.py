"""The main relations of a query are the largest that it joins."""

from __future__ import annotations

from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.main_relations import main_relations


def join(left: JoinSide, right: JoinSide) -> JoinSite:
    return JoinSite("s", 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), left, right, None, None)


def test_the_largest_files_come_first_then_the_most_rows() -> None:
    first = join(JoinSide(("items",), 900, file_bytes=10), JoinSide(("sales",), 5, file_bytes=1000))
    second = join(JoinSide(("items", "sales"), 7000), JoinSide(("view",), 80))
    third = join(JoinSide(("items", "sales", "view"), 7000), JoinSide(("dates",), 3))

    assert main_relations([first, second, third], ["dates", "items", "sales", "view"]) == ("sales", "items", "view")


def test_relations_that_are_only_inside_other_sides_come_last() -> None:
    assert main_relations([join(JoinSide(("b", "a")), JoinSide(("c",), 1))], ["a", "b", "c"]) == ("c", "a", "b")


def test_a_self_join_has_one_relation() -> None:
    assert main_relations([join(JoinSide(("t",), 1), JoinSide(("t",), 9))], ["t"]) == ("t",)


def test_without_joins_it_is_the_first_relation() -> None:
    assert main_relations([], ["a", "b"]) == ("a",)
    assert main_relations([], []) == ()
