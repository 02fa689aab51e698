"""Whether a join ran as it was hinted, case by case: for live runs and for replays alike."""

from __future__ import annotations

import pytest

from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.hint_result import hint_result

ITEMS, ORDERS, EITHER = ("db.items",), ("db.orders",), ()
UNTOLD = "the plan does not tell which side was built"
BHJ, BNLJ, SHJ, SMJ, OTHER = (
    Strategy.BROADCAST_HASH,
    Strategy.BROADCAST_NESTED_LOOP,
    Strategy.SHUFFLED_HASH,
    Strategy.SORT_MERGE,
    Strategy.UNKNOWN,
)
LEFT, RIGHT = BuildSide


def join(
    strategy: Strategy, built: BuildSide | None, left: tuple[str, ...] = ORDERS, right: tuple[str, ...] = ITEMS
) -> JoinSite:
    return JoinSite("5ca1ab1e", 0, JoinType.INNER, strategy, built, (), JoinSide(left), JoinSide(right), 7, None)


@pytest.mark.parametrize(
    ("hint", "side", "strategy", "built", "ignored"),
    [
        ("BROADCAST", ITEMS, BHJ, RIGHT, ""),
        ("BROADCAST", ITEMS, BNLJ, RIGHT, ""),
        ("BROADCAST", EITHER, BHJ, LEFT, ""),
        ("BROADCAST", ITEMS, BHJ, LEFT, "told BROADCAST of items; Spark ran BroadcastHashJoin building orders"),
        ("BROADCAST", ITEMS, SHJ, RIGHT, "told BROADCAST of items; Spark ran ShuffledHashJoin building items"),
        ("BROADCAST", ITEMS, SMJ, None, "told BROADCAST of items; Spark ran SortMergeJoin"),
        ("NO_BROADCAST", ITEMS, SMJ, None, ""),
        ("FILTER_BY_KEY", ITEMS, SMJ, None, ""),
        ("SHARE", ITEMS, SMJ, None, ""),
        ("NO_BROADCAST", EITHER, SHJ, RIGHT, ""),
        # Only one side may not be broadcast.
        ("NO_BROADCAST", ITEMS, BHJ, LEFT, ""),
        ("NO_BROADCAST", ITEMS, BHJ, RIGHT, "told NO_BROADCAST of items; Spark ran BroadcastHashJoin building items"),
        ("NO_BROADCAST", EITHER, BHJ, LEFT, "told NO_BROADCAST; Spark ran BroadcastHashJoin building orders"),
        ("SHUFFLE_HASH", ITEMS, SHJ, RIGHT, ""),
        ("SHUFFLE_HASH", ORDERS, SHJ, RIGHT, "told SHUFFLE_HASH of orders; Spark ran ShuffledHashJoin building items"),
        ("SHUFFLE_HASH", ITEMS, SMJ, None, "told SHUFFLE_HASH of items; Spark ran SortMergeJoin"),
        ("MERGE", ITEMS, SMJ, None, ""),
        ("MERGE", ITEMS, SHJ, RIGHT, "told MERGE of items; Spark ran ShuffledHashJoin building items"),
    ],
)
def test_a_join_that_ran(hint: str, side: tuple[str, ...], strategy: Strategy, built: BuildSide, ignored: str) -> None:
    expected = (DirectiveStatus.IGNORED if ignored else DirectiveStatus.APPLIED, ignored)
    assert hint_result(hint, side, [join(strategy, built)]) == expected


@pytest.mark.parametrize(
    ("hint", "strategy"),
    [("BROADCAST", BHJ), ("NO_BROADCAST", BHJ), ("SHUFFLE_HASH", SHJ), ("BROADCAST", OTHER), ("NO_BROADCAST", OTHER)],
)
def test_what_the_plan_does_not_tell_is_taken_for_followed(hint: str, strategy: Strategy) -> None:
    assert hint_result(hint, ITEMS, [join(strategy, None)]) == (DirectiveStatus.APPLIED, UNTOLD)


def test_an_unknown_build_side_does_not_excuse_another_strategy() -> None:
    status, _ = hint_result("BROADCAST", ITEMS, [join(SHJ, None)])
    assert status is DirectiveStatus.IGNORED


def test_sides_that_read_the_same_cannot_be_told_apart() -> None:
    assert hint_result("BROADCAST", ITEMS, [join(BHJ, LEFT, ITEMS, ITEMS)]) == (DirectiveStatus.APPLIED, "")


def test_all_joins_of_the_signature_have_to_follow() -> None:
    status, why = hint_result("BROADCAST", ITEMS, [join(BHJ, RIGHT), join(SMJ, None)])
    assert (status, why) == (DirectiveStatus.IGNORED, "told BROADCAST of items; Spark ran SortMergeJoin")


def test_a_join_that_is_not_there_was_not_hinted() -> None:
    assert hint_result("MERGE", EITHER, []) == (
        DirectiveStatus.IGNORED,
        "told MERGE; the plan that ran has no such join",
    )
