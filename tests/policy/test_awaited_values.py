"""What is to be tried on values that do not come every night waits for them: a job that runs for one tenant after another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.loop.next_decision import BY_AGENT
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.awaited_values import SOON_RUNS, awaited_values
from tuner.policy.decide import decide

from .histories import conf, decided, hint, in_force, recommend, reorder, run, situation, told, verdict

HINT = hint("q1")
ANA, BEN, CLEO = "aaaa", "bbbb", "cccc"


def night(number: int, literals: str, *changes: DecidedChange, acted: bool = False, seconds: float = 10) -> Run:
    """A run for one tenant; what is in force on the joins of its query `acted` or was held."""
    status = DirectiveStatus.APPLIED if acted else DirectiveStatus.HELD
    found = run(number, {"q1": seconds}, *changes)
    assert found.outcome is not None
    (query,) = found.outcome.queries
    told_ = tuple(DirectiveResult(d.id, status) for d in changes if d.change.is_on_joins)
    return replace(
        found, outcome=replace(found.outcome, queries=(replace(query, literals=literals, directives=told_),))
    )


def for_values(*literals: str, standing: Standing = Standing.TRIAL) -> DecidedChange:
    return replace(decided(HINT, standing), literals=literals)


def now(*runs: Run, **known: object) -> DecidedChange | None:
    decision = decide(situation(Mode.AUTO, 1, runs, **known))  # type: ignore[arg-type]
    return next((d for d in decision.changes if d.id == HINT.id), None)


def test_a_trial_that_met_other_values_is_still_to_be_tried_on_its_own() -> None:
    runs = [night(0, ANA), night(1, BEN, for_values(ANA)), night(2, CLEO, for_values(ANA))]
    found = now(*runs)
    assert found is not None
    assert (found.standing, found.literals) == (Standing.TRIAL, (ANA,))


def test_each_turn_is_tried_on_what_it_was_advised_from() -> None:
    runs = [night(0, ANA), night(1, BEN, for_values(ANA))]
    found = now(*runs, advice=[recommend(HINT)])
    assert found is not None
    assert found.literals == (ANA, BEN)


def test_what_is_proven_for_one_waits_for_the_others_that_it_is_advised_for() -> None:
    proven = for_values(ANA, BEN, standing=Standing.PROMOTED)
    runs = [night(0, ANA), night(1, BEN), night(2, ANA, for_values(ANA), acted=True, seconds=5), night(3, ANA, proven)]
    found = now(*runs)
    assert found is not None
    assert (found.is_in_force, found.literals) == (True, (ANA, BEN))


def test_values_that_came_and_did_not_get_it_are_not_awaited() -> None:
    runs = [night(0, ANA), night(1, BEN, for_values(ANA)), night(2, ANA, for_values(ANA))]
    assert awaited_values(runs) == {}
    assert now(*runs) is None


@pytest.mark.parametrize("broken", [RunState.FAILED, RunState.LOST])
def test_a_run_that_measured_nothing_ends_no_wait(broken: RunState) -> None:
    failed = replace(run(1, None, for_values(ANA)), state=broken)
    assert awaited_values([night(0, ANA), failed])[HINT.id].literals == {ANA}


def test_values_that_no_run_had_are_nothing_to_wait_for() -> None:
    """As after it was learned that a column moves no rows: all its values are another class then."""
    assert awaited_values([night(0, BEN), night(1, BEN, for_values(ANA))]) == {}


def test_what_was_taken_out_does_not_come_back_for_them() -> None:
    lost = for_values(ANA, BEN)
    runs = [night(0, ANA), night(1, BEN), night(2, ANA, lost, acted=True, seconds=60), night(3, ANA), night(4, BEN)]
    found = now(*runs)
    assert found is not None
    assert found.standing is Standing.ROLLED_BACK


def test_what_is_proven_and_loses_for_one_stays_for_those_that_it_has_not_met() -> None:
    proven = for_values(ANA, BEN, CLEO, standing=Standing.PROMOTED)
    turns = [night(2, ANA, for_values(ANA), acted=True, seconds=4), night(3, BEN, proven, acted=True, seconds=60)]
    found = now(night(0, ANA), night(1, BEN), *turns)
    assert found is not None
    assert (found.standing, found.excluded) == (Standing.PROMOTED, (BEN,))


def test_a_person_can_reject_what_waits() -> None:
    runs = [night(0, ANA), night(1, BEN, for_values(ANA))]
    found = now(*runs, verdicts=[verdict(HINT, Ruling.REJECT)])
    assert found is not None
    assert found.standing is Standing.HELD
    assert told(found).startswith("rejected by")


def test_in_suggest_nothing_that_waits_is_in_force() -> None:
    runs = [night(0, ANA), night(1, BEN, for_values(ANA))]
    decision = decide(situation(Mode.SUGGEST, 1, runs))
    assert not decision.in_force
    assert HINT.id in {d.id for d in decision.changes}


def others(runs: int) -> list[Run]:
    """A trial on the joins of a tenant that does not come, for so many runs; it is surer to gain than a property is."""
    foretold = replace(for_values(ANA), change=recommend(HINT, after=1, high=2)[0])
    return [night(0, ANA), *(night(n, BEN, foretold) for n in range(1, runs + 1))]


def test_a_property_waits_for_it_for_a_week_of_nights() -> None:
    property_ = conf("first")

    def stands(*runs: Run) -> Standing:
        decision: Decision = decide(situation(Mode.AUTO, 1, runs, [recommend(property_)]))
        return next(d.standing for d in decision.changes if d.id == property_.id)

    assert stands(*others(SOON_RUNS - 1)) is Standing.HELD
    assert stands(*others(SOON_RUNS)) is Standing.TRIAL


def test_an_order_that_waits_for_long_holds_no_property_about_joins() -> None:
    foretold = recommend(reorder("q1"), after=1, high=2)
    order = DecidedChange(foretold[0], Standing.TRIAL, foretold[0].reason, literals=(ANA,))
    threshold = conf("spark.sql.autoBroadcastJoinThreshold", "20000000")

    def is_tried(nights: int) -> bool:
        runs = [night(0, ANA), *(night(n, BEN, order) for n in range(1, nights + 1))]
        return threshold.id in in_force(
            decide(situation(Mode.AUTO, 1, runs, [recommend(threshold)], drivable=BY_AGENT))
        )

    assert not is_tried(SOON_RUNS - 1)
    assert is_tried(SOON_RUNS)
