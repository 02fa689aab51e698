"""Changes in words."""

from __future__ import annotations

from tests.panel.nights import HINT, decided
from tuner.model.action import Action, ActionKind
from tuner.words.changes import trial_words
from tuner.words.query_names import NO_NAMES

ORDER = decided(Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")).change
NEEDS = decided(HINT, needs=ORDER.id).change


def test_a_trial_is_called_what_the_others_need() -> None:
    alone = trial_words([ORDER], NO_NAMES)
    assert trial_words([NEEDS, ORDER], NO_NAMES) == f"{alone} and 1 more"
    assert "more" not in alone
    assert trial_words([NEEDS], NO_NAMES).startswith("/*+ BROADCAST(days) */"), "what it needs is not there"
