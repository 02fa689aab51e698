"""A directive that a plan did not follow expires: it is not judged by times, and does not come back by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tuner.model.action import Action
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import QueryStatus
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.changes_in_effect import changes_in_effect, held_in, not_followed
from tuner.policy.comparisons import compare
from tuner.policy.decide import decide
from tuner.policy.evidence.history import History
from tuner.policy.ledger import read_ledger
from tuner.policy.measure import measured_queries
from tuner.policy.record import Record
from tuner.words.decisions import decision_summary
from tuner.words.reasons import reason_words

from .histories import GB, conf, decided, hint, in_force, recommend, reorder, run, situation, standings, told, verdict

HINT, ORDER = hint("q1"), reorder("q1")
BASE = run(0, {"q1": 10, "q2": 10})
APPLIED, HELD, IGNORED, IMPOSSIBLE = DirectiveStatus


def night(
    number: int,
    status: DirectiveStatus | None,
    *,
    action: Action = HINT,
    standing: Standing = Standing.TRIAL,
    seconds: float = 10,
    reason: str = "told BROADCAST of dim; Spark ran SortMergeJoin",
    state: RunState = RunState.SUCCEEDED,
    query: QueryStatus = QueryStatus.SUCCEEDED,
    input_bytes: int = GB,
    agent_missing: bool = False,
) -> Run:
    """A run with one change in force; `status` is what became of it, None where the log says nothing."""
    found = run(number, {"q1": seconds, "q2": 10}, decided(action, standing), state=state, input_bytes=input_bytes)
    assert found.outcome is not None
    told = () if status is None else (DirectiveResult(action.id, status, reason),)
    first, *rest = found.outcome.queries
    queries = (replace(first, directives=told, status=query), *rest)
    return replace(found, outcome=replace(found.outcome, queries=queries, agent_missing=agent_missing))


def record(*runs: Run, of: Action = HINT) -> Record:
    return read_ledger(runs)[of.id]


def next_decision(*runs: Run, verdicts: tuple[Verdict, ...] = (), of: Action = HINT) -> Decision:
    return decide(situation(Mode.AUTO, 1, runs, [recommend(of)], verdicts, drivable=frozenset({of.kind})))


@pytest.mark.parametrize("status", [IGNORED, IMPOSSIBLE])
@pytest.mark.parametrize("action", [HINT, ORDER])
@pytest.mark.parametrize("standing", [Standing.TRIAL, Standing.PROMOTED])
def test_what_was_not_followed_expires_and_says_why_and_in_which_run(
    status: DirectiveStatus, action: Action, standing: Standing
) -> None:
    nights = [
        night(number, status, action=action, standing=standing, reason="no such join")
        for number in ((1,) if standing is Standing.TRIAL else (1, 2))
    ]
    found = record(BASE, *nights, of=action)
    assert (found.standing, told(found)) == (Standing.EXPIRED, f"{status} in run {nights[-1].key}: no such join")


class TestOfWhatIsProven:
    """A night of another conf, adaptive execution switched off say, takes nothing away for good."""

    PROVEN = night(1, APPLIED, seconds=5)

    @staticmethod
    def without(number: int, **other: Any) -> Run:
        return night(number, IMPOSSIBLE, standing=Standing.PROMOTED, reason="adaptive execution is off", **other)

    def test_one_night_without_it_is_none(self) -> None:
        runs = (BASE, self.PROVEN, self.without(2, seconds=99))
        found = record(*runs)
        assert (found.standing, found.gain_seconds) == (Standing.PROMOTED, pytest.approx(5, rel=0.02))
        assert in_force(next_decision(*runs)) == {HINT.id}

    def test_nor_are_two_that_are_not_one_after_the_other(self) -> None:
        between = night(3, APPLIED, standing=Standing.PROMOTED, seconds=5)
        runs = (BASE, self.PROVEN, self.without(2), between, self.without(4))
        assert record(*runs).standing is Standing.PROMOTED
        assert record(*runs, self.without(5)).standing is Standing.EXPIRED

    def test_nor_are_two_dates_side_by_side(self) -> None:
        one, other = self.without(2), self.without(3)
        beside = replace(other, started_at=one.started_at + timedelta(seconds=1))
        assert record(BASE, self.PROVEN, one, beside).standing is Standing.PROMOTED
        assert record(BASE, self.PROVEN, one, beside, self.without(4)).standing is Standing.EXPIRED

    def test_a_run_that_lacks_its_query_tells_nothing(self) -> None:
        elsewhere = run(3, {"q2": 10}, decided(HINT, Standing.PROMOTED))
        assert record(BASE, self.PROVEN, self.without(2), elsewhere).standing is Standing.PROMOTED


@pytest.mark.parametrize("seconds", [1, 10, 99])
def test_what_was_held_for_its_size_is_not_judged_by_that_run_and_comes_back(seconds: float) -> None:
    backfill = night(2, HELD, standing=Standing.PROMOTED, seconds=seconds, reason="grown", input_bytes=9 * GB)
    runs = (BASE, night(1, APPLIED, seconds=5), backfill)
    assert (changes_in_effect(backfill), not_followed(backfill)) == ([], {})
    assert {id_: reason_words(why) for id_, why in held_in(backfill).items()} == {HINT.id: "held in run etl/2/1: grown"}
    assert (record(*runs).standing, record(*runs).gain_seconds) == (Standing.PROMOTED, pytest.approx(5, rel=0.02))
    assert in_force(next_decision(*runs)) == {HINT.id}


@pytest.mark.parametrize("seconds", [1, 10, 99])
def test_its_times_are_neither_its_win_nor_its_loss(seconds: float) -> None:
    found = record(BASE, night(1, IGNORED, seconds=seconds))
    assert (found.standing, found.gain_seconds) == (Standing.EXPIRED, None)


def test_they_are_times_of_the_query_without_it() -> None:
    history = History()
    history.add(measured_queries(night(1, IGNORED, seconds=12)))
    now = night(2, APPLIED, seconds=6)
    history.add(measured_queries(now))
    (compared,) = compare(measured_queries(now), history, now.decision.in_force).touched
    assert (compared.expected, compared.measured) == (pytest.approx(12, rel=0.01), 6)


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.PARTIAL])
def test_a_run_that_failed_without_it_is_not_its_fault(state: RunState) -> None:
    assert record(BASE, night(1, IGNORED, state=state)).standing is Standing.EXPIRED


def test_what_was_applied_is_judged_as_ever() -> None:
    assert record(BASE, night(1, APPLIED, seconds=5)).standing is Standing.PROMOTED
    assert record(BASE, night(1, APPLIED, seconds=20)).standing is Standing.ROLLED_BACK
    assert record(BASE, night(1, None, seconds=5)).standing is Standing.PROMOTED  # hints in SQL text


def test_a_query_that_did_not_come_to_its_end_says_nothing() -> None:
    assert not_followed(night(1, IGNORED, query=QueryStatus.FAILED)) == {}
    assert record(BASE, run(1, {"q2": 10}, decided(HINT))).standing is Standing.TRIAL


def test_of_several_executions_one_that_followed_is_enough() -> None:
    first, second = night(1, IGNORED), night(1, APPLIED)
    assert first.outcome is not None and second.outcome is not None
    both = replace(first.outcome, queries=first.outcome.queries + second.outcome.queries)
    assert not_followed(replace(first, outcome=both)) == {}


def test_an_agent_that_did_not_load_followed_nothing_though_nobody_can_tell_what_it_was_told() -> None:
    assert not changes_in_effect(night(1, None, agent_missing=True))
    # One night with a wrong jar takes nothing away for good: why_no_agent leaves the agent out of the next ones.
    unloaded = night(2, None, standing=Standing.PROMOTED, agent_missing=True)
    assert record(BASE, night(1, APPLIED, seconds=5), unloaded).standing is Standing.PROMOTED
    properties = night(1, None, action=conf(), agent_missing=True)
    assert [d.change.actions[0] for d in changes_in_effect(properties)] == [conf()]


def test_it_does_not_come_back_by_itself() -> None:
    runs = [BASE, night(1, IGNORED)]
    decision = next_decision(*runs)
    assert standings(decision) == {HINT.id: Standing.EXPIRED}
    assert not in_force(decision)
    assert decision_summary(decision) == "1 expired"
    later = replace(run(2, {"q1": 10, "q2": 10}), decision=decision)
    assert standings(next_decision(*runs, later)) == {HINT.id: Standing.EXPIRED}
    assert standings(next_decision(later)) == {HINT.id: Standing.EXPIRED}, "when the run that told is long ago"


def test_it_is_tried_again_when_a_person_says_so_after_that() -> None:
    runs = [BASE, night(1, IGNORED)]
    before, after = (verdict(HINT, Ruling.APPROVE, when) for when in (0.9, 1.9))
    assert not in_force(next_decision(*runs, verdicts=(before,)))
    assert standings(next_decision(*runs, verdicts=(before, after))) == {HINT.id: Standing.TRIAL}
    assert not in_force(next_decision(*runs, night(2, IGNORED), verdicts=(before, after)))
    assert record(*runs, night(2, APPLIED, seconds=5)).standing is Standing.PROMOTED


def test_it_is_tried_again_on_other_inputs() -> None:
    runs = [BASE, night(1, IGNORED), run(2, {"q1": 50, "q2": 50}, input_bytes=5 * GB)]
    assert standings(next_decision(*runs)) == {HINT.id: Standing.TRIAL}


def test_what_a_person_pinned_stays_and_says_that_it_is_not_followed() -> None:
    pin = verdict(HINT, Ruling.PIN)
    found = read_ledger([BASE, night(1, IGNORED, standing=Standing.PINNED)], [pin])[HINT.id]
    assert found.standing is Standing.PINNED
    assert told(found).startswith("pinned by ana; ignored in run etl/1/1")
