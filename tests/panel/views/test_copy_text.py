"""What a person pastes to make a change himself."""

from __future__ import annotations

import pytest

from tuner.model.action import Action, ActionKind, Hint
from tuner.panel.views.copy_text import copy_text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16"), "--conf spark.sql.shuffle.partitions=16"),
        (Action(ActionKind.SET_CONF, "spark.x", "a b; rm -rf ~"), "--conf 'spark.x=a b; rm -rf ~'"),
        (Action(ActionKind.HINT_JOIN, "s", Hint.BROADCAST, "q", ("shop.days",)), "/*+ BROADCAST(days) */"),
        (Action(ActionKind.HINT_JOIN, "s", Hint.NO_BROADCAST, "q", ("shop.days",)), ""),
        (
            Action(ActionKind.ANALYZE_TABLE, "shop.days", "day,year"),
            "ANALYZE TABLE shop.days COMPUTE STATISTICS FOR COLUMNS day,year",
        ),
        (Action(ActionKind.ORDER_JOINS, "b", "((a c) b)", "q"), ""),
    ],
)
def test_text_to_paste(action: Action, text: str) -> None:
    assert copy_text(action) == text
