"""What of a decision a run lacked: an order that it had is not counted once more for the broadcasts that came with it."""

from __future__ import annotations

from tests.policy.histories import advised, hint, recommend, reorder
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.replay.trials import place_of, trials_lacked

ORDER, CALLED_FOR, ALONE = reorder("q1"), hint("q1", "join in that order"), hint("q1")


def decision() -> Decision:
    changes = advised(recommend(ORDER, CALLED_FOR), recommend(ALONE))
    return Decision(Mode.AUTO, tuple(DecidedChange(change, Standing.TRIAL, change.reason) for change in changes))


def test_a_run_that_had_nothing_lacked_an_order_with_its_broadcasts_as_one() -> None:
    assert [trial.actions for trial in trials_lacked(decision(), ())] == [(ORDER, CALLED_FOR), (ALONE,)]


def test_a_run_that_had_the_order_lacked_no_gain_of_its_broadcasts() -> None:
    assert [trial.actions for trial in trials_lacked(decision(), {ORDER.id})] == [(ALONE,)]
    assert [trial.actions for trial in trials_lacked(decision(), {CALLED_FOR.id})] == [(ORDER,), (ALONE,)]


def test_an_order_is_one_trial_whatever_broadcasts_came_with_it() -> None:
    order, called_for, _ = decision().changes
    assert place_of([order, called_for]) == place_of([order]) != place_of([called_for])
