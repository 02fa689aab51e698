"""Changes that were predicted one by one, together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.policy.histories import conf, decided, hint
from tuner.model.action import Action
from tuner.model.change import Evidence, Prediction
from tuner.model.decision import DecidedAction
from tuner.replay.with_changes import Change, changes_of, summed, with_changes


def advised(action: Action, *queries: str, before: float = 10, after: float = 5, of: str = "") -> DecidedAction:
    prediction = Prediction(before, after, after * 0.8, after * 1.2)
    evidence = (Evidence("rows", 1, "rows", of or action.id),)
    return replace(decided(action, queries=queries), predicted_seconds=prediction, evidence=evidence)


def changes(*found: DecidedAction) -> list[Change]:
    return changes_of(found)


def test_a_change_takes_the_share_that_was_predicted_of_what_a_run_took() -> None:
    found = with_changes({"q1": 20.0, "q2": 100.0}, changes(advised(hint(), "q1")))
    assert found == Prediction(20.0, 10.0, 8.0, 12.0)


def test_changes_of_one_query_take_their_shares_one_after_the_other() -> None:
    both = changes(advised(hint(), "q1"), advised(conf(), "q1", "q2"))
    found = with_changes({"q1": 8.0, "q2": 4.0}, both)
    assert found is not None
    assert (found.before, found.after) == (12.0, 8.0 / 4 + 4.0 / 2)
    assert found.low == pytest.approx(8 * 0.4**2 + 4 * 0.4)


def test_however_many_changes_never_take_more_than_there_is() -> None:
    many = changes(*(advised(hint(target=f"join {n}"), "q1", after=1) for n in range(20)))
    found = with_changes({"q1": 5.0}, many)
    assert found is not None
    assert 0 < found.after < 0.001


def test_what_came_of_one_recommendation_is_one_change() -> None:
    pair = changes(advised(conf("a"), "q1", of="x"), advised(conf("b"), "q1", of="x"))
    assert [change.words for change in pair] == ["a=16, b=16"]
    assert with_changes({"q1": 10.0}, pair) == Prediction(10.0, 5.0, 4.0, 6.0)


def test_a_change_whose_value_moves_stays_the_same_change() -> None:
    (small,), (large,) = changes(advised(conf(value="10"), "q1")), changes(advised(conf(value="11"), "q1"))
    assert small.place == large.place
    assert small.place != changes(advised(hint(), "q1"))[0].place


def test_nothing_is_said_of_queries_that_did_not_run() -> None:
    assert with_changes({"other": 3.0}, changes(advised(hint(), "q1"))) is None
    assert changes(decided(hint())) == []
    assert summed(()) is None


def test_intervals_add_up_end_by_end() -> None:
    assert summed([Prediction(3, 2, 1, 2.5), Prediction(5, 4, 3, 4.5)]) == Prediction(8, 6, 4, 7.0)
