"""A decision for the next run, after people have spoken."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.change import Evidence, Prediction
from tuner.model.decision import DecidedAction, Decision, Mode, Standing
from tuner.model.verdict import Ruling
from tuner.policy.said_since import said_since, sentence

from .histories import MIDNIGHT, analyze, conf, hint, verdict

MADE = MIDNIGHT + timedelta(hours=1)
EVIDENCE = (Evidence("rows", 1000, "rows"),)


def stood(standing: Standing, action: object = None, high: float = 9.0, reason: str = "5.0 s less") -> DecidedAction:
    chosen = action or hint()
    return DecidedAction(chosen, standing, reason, ("q1",), EVIDENCE, Prediction(10, 5, 4, high))  # type: ignore[arg-type]


def made(*actions: DecidedAction, mode: Mode = Mode.SUGGEST) -> Decision:
    return Decision(mode, "to come", actions)


def test_nothing_said_nothing_changed() -> None:
    outlook = made(stood(Standing.PROPOSED))
    assert said_since(outlook, MADE, [], Mode.SUGGEST) is outlook
    earlier = verdict(hint(), Ruling.REJECT, night=0.01)
    assert said_since(outlook, MADE, [earlier], Mode.SUGGEST) is outlook


def test_an_approval_that_mode_observe_does_not_act_on_says_so() -> None:
    (now,) = said_since(
        made(stood(Standing.PROPOSED), mode=Mode.OBSERVE), MADE, [verdict(hint(), Ruling.APPROVE)], Mode.OBSERVE
    ).actions
    assert (now.standing, now.reason) == (Standing.PROPOSED, "approved by ana; mode observe applies nothing")


def test_a_mode_that_acts_tries_what_was_proposed_and_one_that_does_not_takes_it_out() -> None:
    (tried,) = said_since(made(stood(Standing.PROPOSED)), MADE, [], Mode.AUTO).actions
    assert (tried.standing, tried.reason) == (Standing.TRIAL, "5.0 s less; mode auto from the next run on")
    (out,) = said_since(made(stood(Standing.PROMOTED), mode=Mode.AUTO), MADE, [], Mode.OBSERVE).actions
    assert out.standing is Standing.PROPOSED


def test_auto_holds_what_may_lose_too_much_unless_it_was_approved() -> None:
    risky = stood(Standing.PROPOSED, high=20.0)
    (held,) = said_since(made(risky), MADE, [], Mode.AUTO).actions
    assert held.standing is Standing.HELD
    (tried,) = said_since(made(risky), MADE, [verdict(hint(), Ruling.APPROVE)], Mode.AUTO).actions
    assert tried.standing is Standing.TRIAL


def test_an_approval_counts_for_what_belongs_together_and_a_rejection_takes_it_all_out() -> None:
    first, second = conf("spark.a"), conf("spark.b")
    outlook = made(stood(Standing.PROPOSED, first), stood(Standing.PROPOSED, second))
    both = said_since(outlook, MADE, [verdict(first, Ruling.APPROVE)], Mode.SUGGEST).actions
    assert [d.standing for d in both] == [Standing.TRIAL, Standing.TRIAL]
    neither = said_since(replace(outlook, mode=Mode.AUTO), MADE, [verdict(first, Ruling.REJECT)], Mode.AUTO).actions
    assert [d.standing for d in neither] == [Standing.HELD, Standing.HELD]


def test_what_only_a_person_can_carry_out_stays_proposed() -> None:
    outlook = made(stood(Standing.PROPOSED, analyze()))
    (now,) = said_since(outlook, MADE, [verdict(analyze(), Ruling.APPROVE)], Mode.AUTO).actions
    assert now.standing is Standing.PROPOSED


def test_what_was_taken_out_does_not_come_back_by_itself() -> None:
    outlook = made(stood(Standing.ROLLED_BACK), mode=Mode.SUGGEST)
    (now,) = said_since(outlook, MADE, [], Mode.AUTO).actions
    assert now.standing is Standing.ROLLED_BACK


@pytest.mark.parametrize("words", ["; held: may lose 3.0 s", "; proposed: only a person can carry out analyze_table"])
def test_a_sentence_is_the_reason_without_its_standing(words: str) -> None:
    assert sentence(stood(Standing.HELD, reason=f"5.0 s less{words}")) == "5.0 s less"
