"""What other cohorts of a deployment teach a new one about kinds of changes."""

from __future__ import annotations

import pytest

from tuner.model.action import Action, Hint
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling
from tuner.policy.decide import decide
from tuner.policy.tried_elsewhere import Tried, asked_elsewhere, kinds_of_change, tried

from .histories import analyze, conf, decided, hint, recommend, reorder, run, situation, standings, told, verdict

BASE = run(0, {"q1": 10, "q2": 10})
LOST, WON = Standing.ROLLED_BACK, Standing.PROMOTED


def of(*actions: DecidedChange) -> Decision:
    return Decision(Mode.AUTO, actions)


def lost(value: Hint = Hint.BROADCAST, code: ReasonCode = ReasonCode.SLOWER) -> Decision:
    return of(decided(hint("theirs", "a join of theirs", value), LOST, code=code))


def won() -> Decision:
    return of(decided(hint("theirs", "a join of theirs"), WON))


def test_changes_of_a_kind_are_alike_whatever_their_queries() -> None:
    def of_one(*actions: Action) -> frozenset[str]:
        return kinds_of_change(recommend(*actions)[0])

    assert of_one(hint("q1")) == of_one(hint("q2", "another join")) == {"hint_join BROADCAST"}
    assert of_one(hint("q1", value=Hint.SHUFFLE_HASH)) != of_one(hint("q1"))
    assert of_one(conf("a", "1")) == of_one(conf("a", "2"), analyze("t")) != of_one(conf("b", "1"))
    assert of_one(reorder("q1")) == of_one(reorder("q2", "another block")) == {"order_joins"}


def test_a_cohort_counts_once_for_a_kind_and_one_that_it_kept_has_won() -> None:
    mixed = of(*won().changes, *lost().changes, *lost().changes)
    assert tried([mixed, lost(), won()]) == {"hint_join BROADCAST": Tried(won=2, lost=1)}


def test_a_broadcast_that_lost_with_an_order_tells_nothing_of_broadcasts() -> None:
    ridden = (reorder("theirs"), hint("theirs", "a join of theirs"))
    both = [DecidedChange(change, LOST, Reason(ReasonCode.SLOWER)) for change in recommend(*ridden)]
    assert tried([of(*both)]) == {"order_joins": Tried(lost=1)}


def test_only_measured_losses_count() -> None:
    measured = {
        ReasonCode.SLOWER,
        ReasonCode.NO_GAIN,
        ReasonCode.UNLIKELY_GAIN,
        ReasonCode.ALLOCATED_MORE,
        ReasonCode.LOSES_ON_SOME_NIGHTS,
    }
    assert {code for code in ReasonCode if tried([lost(code=code)])} == measured


@pytest.mark.parametrize(
    ("wins", "losses", "losing"),
    [(0, 2, False), (0, 3, True), (1, 3, True), (2, 3, False), (2, 4, True), (9, 3, False)],
)
def test_what_lost_in_most_of_several_jobs_is_not_tried_in_another(wins: int, losses: int, losing: bool) -> None:
    elsewhere = {"hint_join BROADCAST": Tried(wins, losses)}
    found = decide(situation(Mode.AUTO, 1, [BASE], [recommend(hint())], elsewhere=elsewhere))
    assert standings(found) == {hint().id: Standing.HELD if losing else Standing.TRIAL}
    words = told(found.changes[0])
    assert (f"a similar change gained in {wins} of {wins + losses} other jobs" in words) is (losing or wins > 0)


def test_a_person_or_an_own_win_counts_for_more() -> None:
    elsewhere = {"hint_join BROADCAST": Tried(0, 9)}
    approved = (verdict(hint(), Ruling.APPROVE),)
    found = decide(situation(Mode.AUTO, 1, [BASE], [recommend(hint())], approved, elsewhere=elsewhere))
    assert standings(found) == {hint().id: Standing.TRIAL}
    mine = run(1, {"q1": 10, "q2": 5}, decided(hint("q2"), queries=["q2"]))
    found = decide(situation(Mode.AUTO, 1, [BASE, mine], [recommend(hint())], elsewhere=elsewhere))
    assert standings(found) == {hint("q2").id: Standing.PROMOTED, hint().id: Standing.TRIAL}


def test_of_others_a_decision_asks_whether_its_changes_lose_there_and_whether_any_won() -> None:
    changes = (*recommend(hint()), *recommend(conf()))
    few, many = tried([won(), lost()]), tried([*[won()] * 9, *[lost()] * 4])
    assert asked_elsewhere(changes, few) == asked_elsewhere(changes, many)
    assert asked_elsewhere(changes, many) == sorted([(hint().id, False, True), (conf().id, False, False)])
    assert asked_elsewhere(changes, tried([lost()] * 3)) != asked_elsewhere(changes, tried([lost()] * 2))
    assert asked_elsewhere(changes, tried([lost()] * 2)) == asked_elsewhere(changes, {})
