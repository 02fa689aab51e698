"""Which joins are marked, and in which words."""

from __future__ import annotations

from tuner.model.action import Action, ActionKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.strategy import BuildSide, Strategy
from tuner.panel.views.changed_joins import changed_joins

ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q")


def scan(name: str) -> PlanStep:
    return PlanStep(StepKind.SCAN, "Scan", name)


def join(site: str, left: int, right: int, side: BuildSide = BuildSide.RIGHT, occurrence: int = 0) -> PlanStep:
    return PlanStep(
        StepKind.JOIN,
        "BroadcastHashJoin",
        site,
        inputs=(left, right),
        signature=site,
        occurrence=occurrence,
        strategy=Strategy.BROADCAST_HASH,
        build_side=side,
    )


def plan(*steps: PlanStep) -> PlanPicture:
    return PlanPicture("q", "", steps)


ABC = plan(join("ac", 1, 4), join("ab", 2, 3), scan("a"), scan("b"), scan("c"))
ACB = plan(join("ab", 1, 4), join("ac", 2, 3), scan("a"), scan("c"), scan("b"))


def test_the_same_plan_has_no_marks() -> None:
    assert changed_joins(ABC, ABC, ()) == ({}, {})


def test_joins_in_another_order_are_marked_on_both_sides() -> None:
    before, after = changed_joins(ABC, ACB, [ORDER])
    assert after == {0: "joined in another order by the tuner", 1: "joined in another order by the tuner"}
    assert set(before) == {0, 1}
    _, unasked = changed_joins(ABC, ACB, ())
    assert set(unasked.values()) == {"joined in another order than before"}


def test_another_build_side_is_a_change() -> None:
    left = plan(join("ab", 1, 2, BuildSide.LEFT), scan("a"), scan("b"))
    right = plan(join("ab", 1, 2, BuildSide.RIGHT), scan("a"), scan("b"))
    before, after = changed_joins(left, right, ())
    assert after == {0: "broadcast hash, built of the left side, before"}
    assert before == {0: "broadcast hash, built of the right side, after"}


def test_joins_of_one_signature_are_told_apart() -> None:
    first = plan(join("ab", 1, 4), join("ab", 2, 3, occurrence=1), scan("a"), scan("b"), scan("b"))
    other = plan(join("ab", 1, 4), join("ab", 2, 3, BuildSide.LEFT, 1), scan("a"), scan("b"), scan("b"))
    assert list(changed_joins(first, other, ())[1]) == [1]


def test_a_join_that_is_only_there_once_is_marked() -> None:
    before, after = changed_joins(ABC, plan(join("ab", 1, 2), scan("a"), scan("b")), ())
    assert before == {0: "no such join after"}
    assert after == {}


def test_inputs_that_lead_nowhere_or_round_do_no_harm() -> None:
    hostile = plan(join("ab", 0, 99), scan("a"))
    assert changed_joins(hostile, ABC, ())[1] == {0: "no such join before"}


def test_what_was_reused_in_one_of_the_plans_is_no_other_order() -> None:
    reused = plan(join("ab", 1, 2), scan("a"), PlanStep(StepKind.BROADCAST, "ReusedExchange", "reused broadcast of b"))
    assert changed_joins(plan(join("ab", 1, 2), scan("a"), scan("b")), reused, ()) == ({}, {})
