"""What of a decision a run lacked: an order that it had is not counted once more for the broadcasts that came with it."""

from __future__ import annotations

from dataclasses import replace

from tests.policy.histories import decided, hint, recommend, reorder
from tuner.model.decision import Decision, Mode
from tuner.replay.with_changes import changes_lacked, place_of

ORDER, CALLED_FOR, ALONE = reorder("q1"), hint("q1", "join in that order"), hint("q1")


def decision() -> Decision:
    together, alone = recommend(ORDER, CALLED_FOR), recommend(ALONE)
    found = ((action, r) for r in (together, alone) for action in r.actions)
    return Decision(
        Mode.AUTO,
        "3 on trial",
        tuple(
            replace(decided(action), evidence=r.evidence, predicted_seconds=r.predicted_seconds) for action, r in found
        ),
    )


def test_a_run_that_had_nothing_lacked_an_order_with_its_broadcasts_as_one() -> None:
    assert [change.actions for change in changes_lacked(decision(), ())] == [(ORDER, CALLED_FOR), (ALONE,)]


def test_a_run_that_had_the_order_lacked_no_gain_of_its_broadcasts() -> None:
    assert [change.actions for change in changes_lacked(decision(), {ORDER.id})] == [(ALONE,)]
    assert [change.actions for change in changes_lacked(decision(), {CALLED_FOR.id})] == [(ORDER,), (ALONE,)]


def test_an_order_is_one_change_whatever_broadcasts_came_with_it() -> None:
    assert place_of([ORDER, CALLED_FOR]) == place_of([ORDER]) != place_of([CALLED_FOR])
