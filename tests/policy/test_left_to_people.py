"""Actions that no driver can carry out: proposed, never in force, and what belongs with them waits for a person."""

from __future__ import annotations

import pytest

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.situation import BY_SUBMIT

from .histories import analyze, conf, decided, recommend, reorder, run, situation, standings, told, verdict

BASE = run(0, {"q1": 10, "q2": 10})
CBO, ANALYZE, ORDER = conf("spark.sql.cbo.enabled", "true"), analyze(), reorder()
WITH_STATISTICS = recommend(CBO, ANALYZE)


def decision(advice: tuple[Change, ...], *verdicts: Verdict, mode: Mode = Mode.AUTO, **kwargs: object) -> Decision:
    return decide(situation(mode, 1, [BASE], [advice], verdicts, **kwargs))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("ruling", [None, Ruling.APPROVE, Ruling.PIN])
@pytest.mark.parametrize("action", [ORDER, ANALYZE])
def test_nobody_can_put_it_in_force(mode: Mode, ruling: Ruling | None, action: Action) -> None:
    verdicts = [verdict(action, ruling)] if ruling else []
    found = decision(recommend(action), *verdicts, mode=mode)
    assert standings(found) == {action.id: Standing.PROPOSED}
    assert not found.in_force


def test_it_says_who_can() -> None:
    (found,) = decision(recommend(ORDER)).changes
    assert told(found) == "5.0 s less; proposed: only a person can reorder joins here"


def test_what_belongs_with_it_is_not_tried_alone() -> None:
    found = decision(WITH_STATISTICS)
    assert standings(found) == {CBO.id: Standing.PROPOSED}


def test_a_person_who_has_done_the_rest_approves_of_what_belongs_with_it() -> None:
    found = decision(WITH_STATISTICS, verdict(CBO, Ruling.APPROVE))
    assert standings(found) == {CBO.id: Standing.TRIAL}
    assert found.actions == (CBO,)


def test_to_approve_of_what_cannot_be_carried_out_is_not_to_have_done_it() -> None:
    assert not decision(WITH_STATISTICS, verdict(ANALYZE, Ruling.APPROVE)).in_force


def test_what_a_person_rejects_is_held() -> None:
    assert standings(decision(recommend(ORDER), verdict(ORDER, Ruling.REJECT))) == {ORDER.id: Standing.HELD}


def test_a_driver_that_can_does() -> None:
    found = decision(recommend(ORDER), drivable=BY_SUBMIT | {ActionKind.ORDER_JOINS})
    assert standings(found) == {ORDER.id: Standing.TRIAL}


def test_what_another_driver_put_in_force_is_only_proposed() -> None:
    tried = run(1, {"q1": 5, "q2": 10}, decided(ORDER))
    found = decide(situation(Mode.AUTO, 1, [BASE, tried], [recommend(ORDER)]))
    assert standings(found) == {ORDER.id: Standing.PROPOSED}
