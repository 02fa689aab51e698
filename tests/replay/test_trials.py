"""Changes that were predicted one by one, together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.policy.histories import conf, decided, hint, reorder
from tuner.model.action import Action
from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange
from tuner.replay.trials import Trial, summed, trials_of, with_trials


def advised(action: Action, *queries: str, before: float = 10, after: float = 5, needs: str = "") -> DecidedChange:
    prediction = Prediction(before, after, after * 0.8, after * 1.2)
    found = decided(action, queries=queries, needs=needs)
    return replace(found, change=replace(found.change, prediction=prediction))


def trials(*found: DecidedChange) -> list[Trial]:
    return trials_of(found)


def test_a_change_takes_the_share_that_was_predicted_of_what_a_run_took() -> None:
    found = with_trials({"q1": 20.0, "q2": 100.0}, trials(advised(hint(), "q1")))
    assert found == Prediction(20.0, 10.0, 8.0, 12.0)


def test_changes_of_one_query_take_their_shares_one_after_the_other() -> None:
    both = trials(advised(hint(), "q1"), advised(conf(), "q1", "q2"))
    found = with_trials({"q1": 8.0, "q2": 4.0}, both)
    assert found is not None
    assert (found.before, found.after) == (12.0, 8.0 / 4 + 4.0 / 2)
    assert found.low == pytest.approx(8 * 0.4**2 + 4 * 0.4)


def test_however_many_changes_never_take_more_than_there_is() -> None:
    many = trials(*(advised(hint(target=f"join {n}"), "q1", after=1) for n in range(20)))
    found = with_trials({"q1": 5.0}, many)
    assert found is not None
    assert 0 < found.after < 0.001


def test_what_is_tried_together_is_counted_once() -> None:
    order = reorder("q1")
    pair = trials(advised(order, "q1"), advised(hint("q1"), "q1", needs=order.id))
    assert [trial.actions for trial in pair] == [(order, hint("q1"))]
    assert with_trials({"q1": 10.0}, pair) == Prediction(10.0, 5.0, 4.0, 6.0)


def test_a_change_whose_value_moves_stays_the_same_change() -> None:
    (small,), (large,) = trials(advised(conf(value="10"), "q1")), trials(advised(conf(value="11"), "q1"))
    assert small.place == large.place
    assert small.place != trials(advised(hint(), "q1"))[0].place


def test_nothing_is_said_of_queries_that_did_not_run() -> None:
    assert with_trials({"other": 3.0}, trials(advised(hint(), "q1"))) is None
    assert trials(decided(hint())) == []
    assert summed(()) is None


def test_intervals_add_up_end_by_end() -> None:
    assert summed([Prediction(3, 2, 1, 2.5), Prediction(5, 4, 3, 4.5)]) == Prediction(8, 6, 4, 7.0)
