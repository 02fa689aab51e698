"""What is left out of a run to tell what it does, and what comes of a run that fails for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.action import Action
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.decide import decide, failed_with_changes
from tuner.policy.failed_without import failed_without

from .histories import Cohort, conf, decided, hint, in_force, recommend, run, situation

NEEDED, OTHER = hint("q1", "needed"), hint("q2", "other")
PROMOTED = [decided(NEEDED, Standing.PROMOTED, ["q1"]), decided(OTHER, Standing.PROMOTED, ["q2"])]
SECONDS = {"q1": 6.0, "q2": 6.0}


def left_out(change: DecidedChange) -> DecidedChange:
    return replace(change, standing=Standing.HELD, held=Reason(ReasonCode.LONG_IN_FORCE, {"run": "etl/1/1"}))


def failed_without_needed(query: str | None = None, try_number: int = 1) -> Run:
    failure = Failure(FailureKind.UNKNOWN, "no memory", query)
    out = [left_out(PROMOTED[0]), PROMOTED[1]]
    return run(4, SECONDS, *out, state=RunState.FAILED, failure=failure, try_number=try_number)


def nights(*after: Run) -> list[Run]:
    learned = [
        run(0, {"q1": 10.0, "q2": 10.0}),
        run(1, SECONDS, *(replace(d, standing=Standing.TRIAL) for d in PROMOTED)),
    ]
    return [*learned, run(2, SECONDS, *PROMOTED), run(3, SECONDS, *PROMOTED), *after]


def test_a_run_whose_spark_may_not_have_started_says_nothing_of_what_it_was_without() -> None:
    failed = replace(failed_without_needed(), outcome=None)
    assert failed_without(failed)
    assert not failed_without(replace(failed, decision=replace(failed.decision, fetched_jar="s3://jars/agent.jar")))


@pytest.mark.parametrize("needed", [NEEDED, conf()], ids=["hint", "property"])
def test_a_job_that_needs_what_is_proven_fails_once_without_it_and_never_again(needed: Action) -> None:
    reached = ["q1"] if needed is NEEDED else ["q1", "q2"]
    trials = [recommend(needed, queries=reached, after=6, high=8), recommend(OTHER, queries=["q2"], after=6, high=8)]
    cohort = Cohort({"q1": 10, "q2": 10}, trials, {needed.id: {"q1": 0.6}, OTHER.id: {"q2": 0.6}}, window=14)
    (id_,) = {change.id for change in trials[0]}

    def fails(decision: Decision) -> bool:
        return len(cohort.runs) > 8 and id_ not in in_force(decision)

    cohort.nights(40, fails=fails)
    failed = [night for night, one in enumerate(cohort.runs) if one.state is RunState.FAILED]
    assert len(failed) == 1, "left out once, since no run that counts was without it"
    assert cohort.nights_in_force(OTHER)[-1] == 39, "the other had not made it"


def test_the_next_try_has_again_what_the_one_that_failed_was_without() -> None:
    runs = nights(failed_without_needed())
    assert not failed_with_changes(runs, "etl/4/2")
    assert in_force(decide(situation(Mode.AUTO, 2, runs))) == {NEEDED.id, OTHER.id}
    with_both = run(4, SECONDS, *PROMOTED, state=RunState.FAILED, try_number=2)
    assert failed_with_changes([*runs, with_both], "etl/4/3"), "then it runs as its author wrote it"


@pytest.mark.parametrize("may_try_again", [False, True])
def test_a_retry_that_may_try_is_without_what_was_tried_in_one_that_failed(may_try_again: bool) -> None:
    """It failed without what was left out, and with a trial: nobody knows of which."""
    changes = (left_out(PROMOTED[0]), replace(PROMOTED[1], standing=Standing.TRIAL))
    failed = failed_without_needed(try_number=2)
    runs = nights(replace(failed, decision=replace(failed.decision, changes=changes)))
    unsteered = decide(replace(situation(Mode.AUTO, 2, runs), may_try_again=may_try_again)).unsteered
    assert (unsteered and unsteered.code) == (ReasonCode.CHANGES_SUSPECTED if may_try_again else None)


def test_what_does_not_reach_the_query_that_failed_is_not_what_it_lacked() -> None:
    runs = nights(failed_without_needed("q2"))
    assert failed_with_changes(runs, "etl/4/2")
    unsteered = decide(situation(Mode.AUTO, 1, runs)).unsteered
    assert unsteered and unsteered.code is ReasonCode.CHANGES_SUSPECTED


def test_a_run_whose_log_never_came_is_not_had_again() -> None:
    runs = lost_without()
    assert in_force(decide(situation(Mode.AUTO, 1, runs))) == {NEEDED.id}


def test_what_a_log_that_never_came_was_to_tell_another_run_tells() -> None:
    runs = lost_without()
    for night in range(5, 65):
        changes = decide(situation(Mode.AUTO, 1, runs[-60:])).changes
        slow = 3 if any(d.is_in_force for d in changes) else 1
        runs.append(run(night, {"q1": slow * 6.0, "q2": 6.0}, *changes))
    last = [d.standing for one in runs[-50:] for d in one.decision.changes if d.id == NEEDED.id]
    assert set(last) == {Standing.ROLLED_BACK}


def lost_without() -> list[Run]:
    """Runs with what is proven, which has long been in force; and one without it, whose log never came."""
    long_in_force = [run(night, SECONDS, PROMOTED[0]) for night in range(4)]
    without = decide(situation(Mode.AUTO, 1, long_in_force))
    assert not in_force(without)
    return [*long_in_force, run(4, None, *without.changes, state=RunState.LOST)]


def test_what_fails_with_it_too_may_be_left_out_again() -> None:
    needed = replace(PROMOTED[0], failed_without=True)
    succeeded = decide(situation(Mode.AUTO, 1, nights(failed_without_needed(), run(5, SECONDS, needed, PROMOTED[1]))))
    failed = run(5, SECONDS, needed, PROMOTED[1], state=RunState.FAILED)
    again = decide(situation(Mode.AUTO, 1, nights(failed_without_needed(), failed, run(6, SECONDS))))
    marks = [{d.id for d in decision.changes if d.failed_without} for decision in (succeeded, again)]
    assert marks == [{NEEDED.id}, set()]


def test_a_trial_beside_it_is_not_tried_again_at_once() -> None:
    failed = failed_without_needed()
    on_trial = decided(hint("q2", "new"), Standing.TRIAL, ["q2"])
    beside = replace(failed, decision=replace(failed.decision, changes=(*failed.decision.changes, on_trial)))
    assert not in_force(decide(situation(Mode.AUTO, 1, nights(beside))))
    assert in_force(decide(situation(Mode.AUTO, 2, nights(beside)))) == {NEEDED.id, OTHER.id}, "a retry has no trials"


def test_a_failure_from_outside_says_nothing_of_what_was_left_out() -> None:
    long_in_force = [run(night, SECONDS, PROMOTED[0]) for night in range(4)]
    without = decide(situation(Mode.AUTO, 1, long_in_force)).changes
    for kind, expected in ((FailureKind.INPUT_MISSING, set()), (FailureKind.KILLED, {NEEDED.id})):
        failed = run(4, SECONDS, *without, state=RunState.FAILED, failure=Failure(kind, "why"))
        assert in_force(decide(situation(Mode.AUTO, 1, [*long_in_force, failed]))) == expected, kind
