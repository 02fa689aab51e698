"""A decision for the next run, after people have spoken."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.size_change import SizeChange
from tuner.model.verdict import Ruling
from tuner.policy.rulings_since import rulings_since

from .histories import MIDNIGHT, analyze, conf, hint, recommend, reorder, told, verdict

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


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
def test_sizes_are_the_jobs_own_again_in_a_mode_that_sets_none(mode: Mode) -> None:
    died = Reason(ReasonCode.RAISED, {"run": "etl/0", "before": "8g", "failure": "an executor ran out of memory"})
    raised = SizeChange("spark.executor.memory", "16g", "8g", died)
    cut = SizeChange("spark.executor.instances", "4", "8", Reason(ReasonCode.EXECUTORS_CUT, {}))
    outlook = replace(made(stood(Standing.PROMOTED), mode=Mode.AUTO), raises=(raised,), cuts=(cut,))
    assert rulings_since(outlook, MADE, [], mode).sizes == ()
    assert rulings_since(outlook, MADE, [verdict(hint(), Ruling.PIN)], Mode.AUTO).sizes == (raised, cut)


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


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.SUGGEST])
@pytest.mark.parametrize(("ruling", "said"), [(Ruling.APPROVE, "approved"), (Ruling.PIN, "pinned")])
def test_an_order_of_joins_that_no_agent_carries_out_stays_proposed_and_says_why(
    mode: Mode, ruling: Ruling, said: str
) -> None:
    left = Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": (ActionKind.ORDER_JOINS.value,)})
    outlook = made(replace(stood(Standing.PROPOSED, reorder()), held=left), mode=mode)
    (now,) = rulings_since(outlook, MADE, [verdict(reorder(), ruling)], mode).changes
    assert now.standing is Standing.PROPOSED
    assert told(now) == f"{said} by ana; proposed: only a person can reorder joins here"


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


@pytest.mark.parametrize("code", [ReasonCode.NEVER_WITHOUT, ReasonCode.HELD_OUT, ReasonCode.OVERRULED])
def test_what_is_said_of_another_change_leaves_the_others_where_they_were(code: ReasonCode) -> None:
    """One is held for what only runs or the job's settings tell; a property and a hint are told apart by earlier runs."""
    held = replace(stood(Standing.HELD, conf("spark.c")), held=Reason(code))
    outlook = made(held, stood(Standing.TRIAL, conf("spark.b")), stood(Standing.TRIAL, hint()), mode=Mode.AUTO)
    spoken = stood(Standing.PROMOTED, hint("q2"))
    all_of_it = replace(outlook, changes=(*outlook.changes, spoken))
    for ruling in (Ruling.ROLL_BACK, Ruling.PIN):
        *others, last = rulings_since(all_of_it, MADE, [verdict(hint("q2"), ruling)], Mode.AUTO).changes
        assert tuple(others) == outlook.changes
        assert last.standing is not Standing.PROMOTED


def test_an_approval_lifts_no_hold_that_runs_or_the_jobs_settings_made() -> None:
    held = replace(stood(Standing.HELD, conf()), held=Reason(ReasonCode.OVERRULED, {"property": "p", "value": "8"}))
    (now,) = rulings_since(made(held, mode=Mode.AUTO), MADE, [verdict(conf(), Ruling.APPROVE)], Mode.AUTO).changes
    assert now.standing is Standing.HELD
    assert told(now).startswith("approved by ana; held: ")
    (pinned,) = rulings_since(made(held, mode=Mode.AUTO), MADE, [verdict(conf(), Ruling.PIN)], Mode.AUTO).changes
    assert pinned.standing is Standing.PINNED


def test_what_is_in_force_is_out_for_another_value_that_was_pinned_since() -> None:
    first, risky = stood(Standing.PROMOTED, conf(value="16")), stood(Standing.HELD, conf(value="64"), high=20.0)
    outlook = made(first, replace(risky, held=Reason(ReasonCode.MAY_LOSE)), mode=Mode.AUTO)
    out, pinned = rulings_since(outlook, MADE, [verdict(conf(value="64"), Ruling.PIN)], Mode.AUTO).changes
    assert (out.standing, pinned.standing) == (Standing.HELD, Standing.PINNED)
    assert told(out).endswith("held: another change in its place was pinned by ana")
