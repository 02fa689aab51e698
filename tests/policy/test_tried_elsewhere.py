"""What other cohorts of a deployment teach a new one about kinds of changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.action import Hint
from tuner.model.decision import DecidedAction, Decision, Mode, Standing
from tuner.model.verdict import Ruling
from tuner.policy.decide import Situation, decide
from tuner.policy.tried_elsewhere import Tried, lever, tried

from .histories import analyze, conf, decided, hint, recommend, reorder, run, standings, verdict

BASE = run(0, {"q1": 10, "q2": 10})
LOST, WON = Standing.ROLLED_BACK, Standing.PROMOTED


def of(*actions: DecidedAction) -> Decision:
    return Decision(Mode.AUTO, "as told", actions)


def lost(value: Hint = Hint.BROADCAST, reason: str = "slower: a query took 9 s instead of 5 s") -> Decision:
    return of(decided(hint("theirs", "a join of theirs", value), LOST, reason=reason))


def won() -> Decision:
    return of(decided(hint("theirs", "a join of theirs"), WON))


def test_changes_of_a_kind_are_alike_whatever_their_queries() -> None:
    assert lever(hint("q1")) == lever(hint("q2", "another join")) == "hint_join BROADCAST"
    assert lever(hint("q1", value=Hint.SHUFFLE_HASH)) != lever(hint("q1"))
    assert lever(conf("a", "1")) == lever(conf("a", "2")) != lever(conf("b", "1"))
    assert lever(reorder("q1")) == lever(reorder("q2", "another block")) == "order_joins"
    assert lever(analyze("t")) == lever(analyze("u"))


def test_a_cohort_counts_once_for_a_kind_and_one_that_it_kept_has_won() -> None:
    mixed = of(*won().actions, *lost().actions, *lost().actions)
    assert tried([mixed, lost(), won()]) == {"hint_join BROADCAST": Tried(won=2, lost=1)}


def test_a_broadcast_that_lost_with_an_order_tells_nothing_of_broadcasts() -> None:
    ridden = (reorder("theirs"), hint("theirs", "a join of theirs"))
    evidence = recommend(*ridden).evidence
    both = [replace(decided(a, LOST, reason="slower: a query took 9 s"), evidence=evidence) for a in ridden]
    assert tried([of(*both)]) == {"order_joins": Tried(lost=1)}


@pytest.mark.parametrize("reason", ["rollback by ana: no", "run x failed with it", "held: belongs with"])
def test_only_measured_losses_count(reason: str) -> None:
    assert tried([lost(reason=reason)]) == {}


@pytest.mark.parametrize(
    ("wins", "losses", "losing"),
    [(0, 2, False), (0, 3, True), (1, 3, True), (2, 3, False), (2, 4, True), (9, 3, False)],
)
def test_what_lost_in_most_of_several_jobs_is_not_tried_in_another(wins: int, losses: int, losing: bool) -> None:
    elsewhere = {"hint_join BROADCAST": Tried(wins, losses)}
    found = decide(Situation(Mode.AUTO, 1, [BASE], [recommend(hint())], elsewhere=elsewhere))
    assert standings(found) == {hint().id: Standing.HELD if losing else Standing.TRIAL}
    told = found.actions[0].reason
    assert (f"such a change won in {wins} of {wins + losses} other jobs" in told) is (losing or wins > 0)


def test_a_person_or_an_own_win_counts_for_more() -> None:
    elsewhere = {"hint_join BROADCAST": Tried(0, 9)}
    approved = (verdict(hint(), Ruling.APPROVE),)
    found = decide(Situation(Mode.AUTO, 1, [BASE], [recommend(hint())], approved, elsewhere=elsewhere))
    assert standings(found) == {hint().id: Standing.TRIAL}
    mine = run(1, {"q1": 10, "q2": 5}, decided(hint("q2"), queries=["q2"]))
    found = decide(Situation(Mode.AUTO, 1, [BASE, mine], [recommend(hint())], elsewhere=elsewhere))
    assert standings(found) == {hint("q2").id: Standing.PROMOTED, hint().id: Standing.TRIAL}
