"""Properties are tried one after the other, and after the changes to single joins."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.judgement import judge
from tuner.policy.rules.one_property_a_query import one_property_a_query

from .histories import (
    Cohort,
    conf,
    decided,
    hint,
    in_force,
    recommend,
    reorder,
    run,
    situation,
    standings,
    told,
    verdict,
)

FIRST, SECOND, ELSEWHERE = conf("first"), conf("second"), conf("elsewhere")
JOIN, OTHER_JOIN = hint("q1", "join 1"), hint("q1", "join 2")
BASE = run(0, {"q1": 20, "q2": 20, "q3": 20})


def _decision(
    *advice: tuple[Change, ...], runs: tuple[Run, ...] = (BASE,), said: tuple[Verdict, ...] = ()
) -> dict[str, Standing]:
    return standings(decide(situation(Mode.AUTO, 1, runs, advice, said)))


def _for(action: Action, *queries: str) -> tuple[Change, ...]:
    return recommend(action, queries=queries or ("q1",))


def test_the_first_of_two_that_touch_a_query_is_tried_and_the_other_says_that_it_waits() -> None:
    advice = [_for(FIRST), _for(SECOND, "q1", "q3"), _for(ELSEWHERE, "q2")]
    found = decide(situation(Mode.AUTO, 1, [BASE], advice))
    assert standings(found) == {FIRST.id: Standing.TRIAL, SECOND.id: Standing.HELD, ELSEWHERE.id: Standing.TRIAL}
    (waits,) = (d for d in found.changes if d.standing is Standing.HELD)
    assert told(waits).endswith("held: another change is tried first in one of its queries")


def test_changes_to_single_joins_are_tried_side_by_side_and_before_properties() -> None:
    found = _decision(_for(FIRST, "q1", "q2"), _for(JOIN), _for(OTHER_JOIN))
    assert found == {FIRST.id: Standing.HELD, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}


def test_a_property_that_is_surer_to_gain_than_the_joins_of_its_queries_is_tried_before_them() -> None:
    joins = [recommend(JOIN, high=9), recommend(OTHER_JOIN, high=9)]
    assert _decision(recommend(FIRST, queries=("q1", "q2"), high=7), *joins) == {
        FIRST.id: Standing.TRIAL,
        JOIN.id: Standing.HELD,
        OTHER_JOIN.id: Standing.HELD,
    }
    asked = (verdict(JOIN, Ruling.APPROVE),)
    found = _decision(recommend(FIRST, high=7), *joins, said=asked)
    assert found == {FIRST.id: Standing.HELD, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}


def test_joins_that_are_being_tried_make_no_way_for_a_property_which_is_tried_beside_them() -> None:
    within_noise = run(1, {"q1": 19.5, "q2": 20, "q3": 20}, decided(JOIN))
    found = _decision(recommend(FIRST, high=7), recommend(JOIN, high=9), runs=(BASE, within_noise))
    assert found == {FIRST.id: Standing.TRIAL, JOIN.id: Standing.TRIAL}


def test_a_join_that_was_not_tried_yet_waits_for_none_but_a_property_that_is_new_as_well() -> None:
    within_noise = run(1, {"q1": 19.5, "q2": 20, "q3": 20}, decided(JOIN))
    joins = [recommend(JOIN, high=9), recommend(OTHER_JOIN, high=9.5)]
    found = _decision(recommend(FIRST, high=9.8), *joins, runs=(BASE, within_noise))
    assert found == {FIRST.id: Standing.HELD, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}
    (change,) = recommend(FIRST, high=9.8)
    tried = run(1, {"q1": 19.5, "q2": 20, "q3": 20}, DecidedChange(change, Standing.TRIAL, change.reason))
    found = _decision((change,), *joins, runs=(BASE, tried))
    assert found == {FIRST.id: Standing.TRIAL, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}


def test_a_property_does_not_wait_for_what_the_agent_held_for_its_size() -> None:
    """Rows that are too many to broadcast are so again tomorrow; of values that are others the situation knows how long."""
    (join,) = recommend(JOIN, high=9)
    night = run(1, {"q1": 20, "q2": 20, "q3": 20}, DecidedChange(join, Standing.TRIAL, join.reason))
    assert night.outcome is not None
    first, *rest = night.outcome.queries

    def standing(status: DirectiveStatus, held: Reason | None = None) -> Standing:
        told = (DirectiveResult(join.actions[0].id, status, held=held),)
        outcome = replace(night.outcome, queries=(replace(first, directives=told), *rest))  # type: ignore[type-var]
        advice = (recommend(FIRST, high=9.8), (join,))
        return _decision(*advice, runs=(BASE, replace(night, outcome=outcome)))[FIRST.id]

    too_large = Reason(ReasonCode.HELD_LARGE_RESULT, {"bytes": 2, "most_bytes": 1})
    assert standing(DirectiveStatus.HELD, too_large) is Standing.TRIAL
    assert standing(DirectiveStatus.HELD, Reason(ReasonCode.HELD_OTHER_VALUES)) is Standing.HELD
    assert standing(DirectiveStatus.APPLIED) is Standing.TRIAL, "the night tells them apart"


def of_values(found: Run, literals: str, joins: DirectiveStatus | None = None) -> Run:
    """With these values of its first query, whose joins had this come of what was in force on them: values hold them."""
    assert found.outcome is not None
    first, *rest = found.outcome.queries
    why = Reason(ReasonCode.HELD_OTHER_VALUES) if joins is DirectiveStatus.HELD else None
    on_joins = [d.id for d in found.decision.in_force if d.change.is_on_joins]
    told = tuple(DirectiveResult(id_, joins, held=why) for id_ in on_joins if joins)
    return replace(
        found, outcome=replace(found.outcome, queries=(replace(first, literals=literals, directives=told), *rest))
    )


ALL = recommend(FIRST, queries=("q1", "q2", "q3"), high=9.8)
TWO = recommend(JOIN, high=9), recommend(OTHER_JOIN, high=9)
OBSERVED = of_values(BASE, "monday")


def later(number: int, literals: str, joins: DirectiveStatus, *runs: Run, seconds: float = 20) -> tuple[Run, ...]:
    """These runs, and one with what is decided on them."""
    decision = decide(situation(Mode.AUTO, 1, runs, [ALL, *TWO]))
    ran = run(number, {"q1": seconds, "q2": 20, "q3": 20}, *decision.changes)
    return (*runs, of_values(ran, literals, joins))


def test_a_property_does_not_wait_for_joins_whose_values_were_new() -> None:
    """As of a day that no run had: the next one will most likely be as new, and hold them again."""
    runs = later(1, "tuesday", DirectiveStatus.HELD, OBSERVED)
    assert in_force(runs[1].decision) == {JOIN.id, OTHER_JOIN.id}
    both = {FIRST.id: Standing.TRIAL, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}
    assert _decision(ALL, *TWO, runs=runs) == both
    runs = later(2, "wednesday", DirectiveStatus.HELD, *runs)
    assert _decision(ALL, *TWO, runs=later(3, "monday", DirectiveStatus.APPLIED, *runs)) == both, "a run had it alone"


def test_it_waits_for_joins_whose_values_an_earlier_run_had() -> None:
    """They come back; so does each day, once it is known that days count for nothing."""
    of_turns = of_values(run(0, {"q1": 20, "q2": 20, "q3": 20}), "tuesday")
    runs = later(1, "tuesday", DirectiveStatus.HELD, of_turns, replace(OBSERVED, key="etl/0/2"))
    assert _decision(ALL, *TWO, runs=runs)[FIRST.id] is Standing.HELD


def test_of_a_property_and_joins_that_began_in_one_run_for_the_values_came_back_one_is_left_out_of_the_next() -> None:
    runs = later(1, "tuesday", DirectiveStatus.HELD, OBSERVED)
    runs = later(2, "monday", DirectiveStatus.APPLIED, *runs, seconds=21)
    assert in_force(runs[2].decision) == {FIRST.id, JOIN.id, OTHER_JOIN.id}
    found = _decision(ALL, *TWO, runs=runs)
    assert found == {FIRST.id: Standing.HELD, JOIN.id: Standing.TRIAL, OTHER_JOIN.id: Standing.TRIAL}
    runs = later(3, "monday", DirectiveStatus.APPLIED, *runs, seconds=21)
    assert FIRST.id in in_force(decide(situation(Mode.AUTO, 1, runs, [ALL, *TWO]))), "a run had the joins without it"


def test_a_query_that_runs_twice_is_judged_by_both() -> None:
    """Where a person approves both at once, what they did together counts for the join; of each execution."""
    twice = replace(run(1, {"q1": 150}, decided(JOIN), decided(FIRST)), key="etl/1")
    before = run(0, {"q1": 100})
    for one, seconds in ((before, 10), (twice, 6)):
        assert one.outcome is not None
        (query,) = one.outcome.queries
        again = replace(query, id=1, duration_ms=seconds * 1000)
        runs = replace(one, outcome=replace(one.outcome, queries=(query, again)))
        before, twice = (runs, twice) if one is before else (before, runs)
    (join,) = (r for r in judge(twice, [before]).records if r.decided.id == JOIN.id)
    assert join.now.standing is Standing.HELD, "nothing but this query tells of that night"


def test_a_property_and_a_join_of_one_query_are_told_apart() -> None:
    """One of them gains, the other loses, and both at once look like nothing."""
    queries = ("q1", "q2", "q3")
    advice = [recommend(FIRST, queries=queries, high=9.5), recommend(JOIN, high=7)]
    for join, property_ in ((0.6, 1.5), (1.5, 0.6)):
        effects = {FIRST.id: dict.fromkeys(queries, property_), JOIN.id: {"q1": join}}
        cohort = Cohort(dict.fromkeys(queries, 20.0), advice, effects)
        cohort.nights(8)
        assert in_force(cohort.runs[-1].decision) == ({JOIN.id} if join < 1 else {FIRST.id})


def test_a_long_trial_of_a_property_that_gains_nothing_does_not_keep_joins_from_gaining() -> None:
    effects = {FIRST.id: {"q1": 1.0, "q2": 1.0, "q3": 1.0}, JOIN.id: {"q1": 0.5}}
    advice = [recommend(FIRST, queries=("q1", "q2", "q3"), high=7), recommend(JOIN, high=9)]
    cohort = Cohort({"q1": 20.0, "q2": 20.0, "q3": 20.0}, advice, effects)
    cohort.nights(4)
    assert JOIN.id in in_force(cohort.runs[-1].decision)
    assert cohort.nights_in_force(FIRST) == [1, 2, 3]
    assert cohort.nights_in_force(JOIN) == [2, 3]


def test_what_one_recommendation_is_to_gain_counts_once() -> None:
    def standing(*joins: Change) -> Standing:
        known = situation(Mode.AUTO, 1, [BASE])
        first = [DecidedChange(c, Standing.TRIAL, c.reason) for c in (*recommend(FIRST, high=7), *joins)]
        return one_property_a_query(known, first)[0].standing

    assert standing(*recommend(reorder("q1"), JOIN, high=8)) is Standing.TRIAL
    assert standing(*recommend(JOIN, high=8), *recommend(OTHER_JOIN, high=8)) is Standing.HELD


def test_when_the_first_has_won_the_next_is_tried_beside_it() -> None:
    won = run(1, {"q1": 10, "q2": 20, "q3": 20}, decided(FIRST))
    assert _decision(_for(SECOND), runs=(BASE, won)) == {FIRST.id: Standing.PROMOTED, SECOND.id: Standing.TRIAL}


def test_a_trial_that_is_not_decided_yet_goes_on_before_others() -> None:
    within_noise = run(1, {"q1": 19.5, "q2": 20, "q3": 20}, decided(SECOND))
    found = _decision(_for(FIRST), runs=(BASE, within_noise))
    assert found == {SECOND.id: Standing.TRIAL, FIRST.id: Standing.HELD}


def test_what_came_of_one_recommendation_is_tried_together() -> None:
    pair = recommend(conf("a"), conf("b"))
    assert set(_decision(pair).values()) == {Standing.TRIAL}


def test_what_a_person_asked_for_waits_for_nothing() -> None:
    found = _decision(_for(FIRST), _for(SECOND), said=(verdict(SECOND, Ruling.APPROVE),))
    assert found == {FIRST.id: Standing.HELD, SECOND.id: Standing.TRIAL}
    both = (verdict(FIRST, Ruling.APPROVE), verdict(SECOND, Ruling.APPROVE))
    assert set(_decision(_for(FIRST), _for(SECOND), said=both).values()) == {Standing.TRIAL}


def test_a_loser_does_not_ride_with_a_winner() -> None:
    effects = {FIRST.id: {"q1": 0.4}, SECOND.id: {"q1": 1.4}}
    cohort = Cohort({"q1": 20.0, "q2": 20.0, "q3": 20.0}, [_for(FIRST), _for(SECOND)], effects)
    cohort.nights(10)
    assert in_force(cohort.runs[-1].decision) == {FIRST.id}
    assert cohort.nights_in_force(SECOND) == [2]
