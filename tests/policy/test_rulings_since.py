"""A decision for the next run, after people have spoken."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tuner.model.action import Action
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling
from tuner.policy.rulings_since import rulings_since

from .histories import MIDNIGHT, analyze, conf, hint, recommend, told, verdict

MADE = MIDNIGHT + timedelta(hours=1)


def stood(standing: Standing, *actions: Action, high: float = 9.0) -> DecidedChange:
    (change,) = recommend(*(actions or (hint(),)), high=high)
    return DecidedChange(change, standing, change.reason)


def made(*actions: DecidedChange, mode: Mode = Mode.SUGGEST) -> Decision:
    return Decision(mode, actions)


def test_nothing_said_nothing_changed() -> None:
    outlook = made(stood(Standing.PROPOSED))
    assert rulings_since(outlook, MADE, [], Mode.SUGGEST) is outlook
    earlier = verdict(hint(), Ruling.REJECT, night=0.01)
    assert rulings_since(outlook, MADE, [earlier], Mode.SUGGEST) is outlook


def test_an_approval_that_mode_observe_does_not_act_on_says_so() -> None:
    (now,) = rulings_since(
        made(stood(Standing.PROPOSED), mode=Mode.OBSERVE), MADE, [verdict(hint(), Ruling.APPROVE)], Mode.OBSERVE
    ).changes
    assert (now.standing, told(now)) == (Standing.PROPOSED, "approved by ana; mode observe applies no changes")


def test_a_mode_that_acts_tries_what_was_proposed_and_one_that_does_not_takes_it_out() -> None:
    (tried,) = rulings_since(made(stood(Standing.PROPOSED)), MADE, [], Mode.AUTO).changes
    assert (tried.standing, told(tried)) == (Standing.TRIAL, "5.0 s less; mode auto from the next run on")
    (out,) = rulings_since(made(stood(Standing.PROMOTED), mode=Mode.AUTO), MADE, [], Mode.OBSERVE).changes
    assert out.standing is Standing.PROPOSED


def test_auto_holds_what_may_lose_too_much_unless_it_was_approved() -> None:
    risky = stood(Standing.PROPOSED, high=20.0)
    (held,) = rulings_since(made(risky), MADE, [], Mode.AUTO).changes
    assert held.standing is Standing.HELD
    (tried,) = rulings_since(made(risky), MADE, [verdict(hint(), Ruling.APPROVE)], Mode.AUTO).changes
    assert tried.standing is Standing.TRIAL


def test_an_approval_counts_for_what_belongs_together_and_a_rejection_takes_it_all_out() -> None:
    first, second = conf("spark.a"), conf("spark.b")
    outlook = made(stood(Standing.PROPOSED, first, second))
    (both,) = rulings_since(outlook, MADE, [verdict(first, Ruling.APPROVE)], Mode.SUGGEST).changes
    assert both.standing is Standing.TRIAL
    of_auto = replace(outlook, mode=Mode.AUTO)
    (neither,) = rulings_since(of_auto, MADE, [verdict(second, Ruling.REJECT)], Mode.AUTO).changes
    assert neither.standing is Standing.HELD


def test_what_only_a_person_can_carry_out_stays_proposed() -> None:
    outlook = made(stood(Standing.PROPOSED, analyze()))
    (now,) = rulings_since(outlook, MADE, [verdict(analyze(), Ruling.APPROVE)], Mode.AUTO).changes
    assert now.standing is Standing.PROPOSED


def test_a_pin_counts_for_what_is_left_out_of_the_next_run_to_compare() -> None:
    left_out = replace(stood(Standing.HELD), held=Reason(ReasonCode.NEVER_WITHOUT))
    (now,) = rulings_since(made(left_out, mode=Mode.AUTO), MADE, [verdict(hint(), Ruling.PIN)], Mode.AUTO).changes
    assert (now.standing, now.held) == (Standing.PINNED, None)


def test_a_later_pin_of_another_value_says_so_of_the_earlier_one() -> None:
    outlook = made(stood(Standing.PINNED, conf(value="16")), stood(Standing.PROPOSED, conf(value="64")), mode=Mode.AUTO)
    said = [verdict(conf(value="16"), Ruling.PIN, night=0.01), verdict(conf(value="64"), Ruling.PIN)]
    first, later = rulings_since(outlook, MADE, said, Mode.AUTO).changes
    assert (first.standing, later.standing) == (Standing.HELD, Standing.PINNED)
    assert told(first).endswith("held: another change in its place was pinned by ana")


def test_what_was_taken_out_does_not_come_back_by_itself() -> None:
    outlook = made(stood(Standing.ROLLED_BACK), mode=Mode.SUGGEST)
    (now,) = rulings_since(outlook, MADE, [], Mode.AUTO).changes
    assert now.standing is Standing.ROLLED_BACK
