"""Changes as people read them."""

from __future__ import annotations

import pytest

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.query import Query, QueryStatus
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames

NAMES = QueryNames([Query(1, 1, "q1", "daily sales", 0, 1, QueryStatus.SUCCEEDED)])


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action(ActionKind.SET_CONF, "spark.x", "1"), "spark.x=1"),
        (
            Action(ActionKind.HINT_JOIN, "5160", Hint.SHUFFLE_HASH, "q1", ("shop.days",)),
            "/*+ SHUFFLE_HASH(days) */ in daily sales",
        ),
        (
            Action(ActionKind.HINT_JOIN, "5160", Hint.BROADCAST, "q1", ("/lake/1-days",)),
            "/*+ BROADCAST(`1-days`) */ in daily sales",
        ),
        (
            Action(ActionKind.HINT_JOIN, "5160", Hint.BROADCAST, "q1", ("shop.days", "shop.items")),
            "BROADCAST of days+items in daily sales, by the agent",
        ),
        (
            Action(ActionKind.HINT_JOIN, "5160", Hint.NO_BROADCAST, "q1", ("shop.days",)),
            "NO_BROADCAST of days in daily sales, by the agent",
        ),
        (Action(ActionKind.ORDER_JOINS, "5160", "((a b) c)", "q1"), "the order of joins in daily sales"),
        (
            Action(ActionKind.ANALYZE_TABLE, "shop.days", "d, week"),
            "ANALYZE TABLE shop.days COMPUTE STATISTICS FOR COLUMNS d, week",
        ),
        (Action(ActionKind.ANALYZE_TABLE, "shop.days", ""), "ANALYZE TABLE shop.days COMPUTE STATISTICS"),
    ],
)
def test_a_change_is_told_as_one_would_type_it(action: Action, words: str) -> None:
    assert action_words(action, NAMES) == words
