"""What came of a run's changes, told as soon as it is measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import Standing
from tuner.model.run import RunState
from tuner.model.verdict import Ruling
from tuner.policy.judgement import judge
from tuner.policy.ledger import read_ledger

from .histories import conf, decided, hint, late_upstream, run, verdict

HINT, OTHER = hint("q1"), hint("q2")
BASE = run(0, {"q1": 10, "q2": 10})


def test_it_is_what_the_next_decision_will_find() -> None:
    now = run(1, {"q1": 4, "q2": 10}, decided(HINT, Standing.TRIAL))
    found = judge(now, [BASE])
    assert found.records == (read_ledger([BASE, now])[HINT.id],)
    assert found.records[0].standing is Standing.PROMOTED


def test_the_gain_is_of_the_run_whatever_how_many_changes_share_a_query() -> None:
    changes = (decided(HINT, Standing.TRIAL, ("q1",)), decided(conf(), Standing.TRIAL, ("q1", "q2")))
    found = judge(run(1, {"q1": 4, "q2": 9, "q3": 5}, *changes), [run(0, {"q1": 10, "q2": 10, "q3": 5})])
    # What both did to q1, tried together, counts for the join.
    assert [record.gain_seconds for record in found.records] == [pytest.approx(6, rel=0.05), pytest.approx(1, rel=0.1)]
    assert found.gained_seconds == pytest.approx(7, rel=0.05)
    assert found.queries == 2


def test_what_was_proven_is_measured_against_runs_without_it() -> None:
    nights = [BASE, run(1, {"q1": 4, "q2": 10}, decided(HINT, Standing.TRIAL))]
    found = judge(run(2, {"q1": 5, "q2": 10}, decided(HINT, Standing.PROMOTED)), nights)
    assert found.gained_seconds == pytest.approx(5, rel=0.05)
    assert [record.standing for record in found.records] == [Standing.PROMOTED]


def test_a_loss_is_less_than_nothing() -> None:
    found = judge(run(1, {"q1": 30, "q2": 10}, decided(HINT, Standing.TRIAL)), [BASE])
    assert found.gained_seconds == pytest.approx(-20, rel=0.05)
    assert [record.standing for record in found.records] == [Standing.ROLLED_BACK]


def test_a_failed_run_has_no_gain_and_leaves_its_trial_to_another() -> None:
    found = judge(run(1, {"q1": 4}, decided(HINT, Standing.TRIAL), state=RunState.FAILED), [BASE])
    assert found.gained_seconds is None
    assert [record.standing for record in found.records] == [Standing.TRIAL]


def test_only_what_was_in_force_is_judged() -> None:
    held = decided(OTHER, Standing.HELD)
    assert judge(run(1, {"q1": 4, "q2": 10}, held), [BASE]).records == ()
    both = judge(run(1, {"q1": 4, "q2": 10}, decided(HINT, Standing.TRIAL), held), [BASE])
    assert [record.decided.change.actions[0] for record in both.records] == [HINT]


def test_the_run_may_stand_in_the_history_and_others_after_it() -> None:
    now = run(1, {"q1": 4, "q2": 10}, decided(HINT, Standing.TRIAL))
    later = run(2, {"q1": 40, "q2": 10}, decided(HINT, Standing.TRIAL))
    running = replace(now, state=RunState.RUNNING, outcome=None)
    assert judge(now, [BASE, running, later]) == judge(now, [BASE])


def test_what_a_person_ruled_since_counts() -> None:
    now = run(1, {"q1": 4, "q2": 10}, decided(HINT, Standing.TRIAL))
    (record,) = judge(now, [BASE], [verdict(HINT, Ruling.REJECT)]).records
    assert record.standing is Standing.HELD


def test_a_night_that_found_nothing_to_read_gained_nothing_and_tells_nothing_of_others() -> None:
    proven = decided(HINT, Standing.PROMOTED)
    nights = [BASE, *(run(n, {"q1": 4, "q2": 10}, proven) for n in (1, 2)), *(late_upstream(n, proven) for n in (3, 4))]
    for empty in nights[3:]:
        assert (judge(empty, nights).total, judge(empty, nights).queries) == (None, 0)
    assert judge(run(5, {"q1": 4, "q2": 10}, proven), nights).gained_seconds == pytest.approx(6, rel=0.05)


def test_a_first_run_with_changes_has_nothing_to_be_held_against() -> None:
    found = judge(run(0, {"q1": 4}, decided(HINT, Standing.PINNED)), [])
    assert (found.total, found.queries) == (None, 0)
