"""Cohorts whose Spark does not load the agent do without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.policy import histories
from tuner.model.agent_record import AgentRecord
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.why_no_agent import DOES_WITHOUT, why_no_agent


def a_run(night: int, *, missing: bool = False, followed: bool = False, spark: str = "3.5.1-amzn-1") -> Run:
    run = histories.run(night, {"q1": 10.0})
    assert run.outcome
    said = (DirectiveResult("hint", DirectiveStatus.APPLIED),) if followed else ()
    queries = tuple(replace(query, directives=said) for query in run.outcome.queries)
    outcome = replace(run.outcome, agent_missing=missing, queries=queries, spark_version=spark)
    return replace(run, outcome=outcome)


def why(*runs: Run, days: float = 0.5) -> str:
    return why_no_agent(runs, runs[-1].started_at + timedelta(days=days))


def test_a_jar_that_did_not_load_is_not_sent_again() -> None:
    assert why(a_run(0), a_run(1, missing=True)).startswith("it did not load in run etl/1/1 (Spark 3.5.1-amzn-1)")
    assert why(a_run(1, missing=True), a_run(2), a_run(3)), "runs without it tell nothing of it"


def test_it_is_tried_again_after_a_week_or_with_another_spark() -> None:
    assert not why(a_run(1, missing=True), days=DOES_WITHOUT.days + 1)
    assert not why(a_run(1, missing=True), a_run(2, spark="3.5.4"))


def test_one_that_loaded_since_is_sent() -> None:
    assert not why(a_run(1, missing=True), a_run(9, followed=True))
    assert not why(a_run(1), a_run(2))


def with_the_agent(night: int, state: RunState, kind: FailureKind | None = None) -> Run:
    """A run whose decision has a hint in force."""
    (change,) = histories.recommend(histories.hint())
    decided = DecidedChange(change, Standing.TRIAL, change.reason)
    return without_it(night, state, kind, Decision(Mode.AUTO, (decided,)))


NOTHING = Decision(Mode.AUTO, ())


def without_it(night: int, state: RunState, kind: FailureKind | None = None, decision: Decision = NOTHING) -> Run:
    run = replace(a_run(night), state=state, decision=decision)
    assert run.outcome
    return replace(run, outcome=replace(run.outcome, failure=Failure(kind, "no such source") if kind else None))


FAILED, SUCCEEDED = RunState.FAILED, RunState.SUCCEEDED


@pytest.mark.parametrize("kind", [FailureKind.CODE, FailureKind.OWN_EXIT])
def test_a_job_that_fails_whenever_it_joins_does_without_it(kind: FailureKind) -> None:
    runs = (without_it(0, SUCCEEDED), with_the_agent(1, FAILED, kind), without_it(2, SUCCEEDED))
    now = runs[-1].started_at + timedelta(hours=12)
    assert "run etl/1/1 failed with it, and none has succeeded" in why_no_agent(runs, now, sees_defaults=False)
    assert not why_no_agent(runs, now, sees_defaults=True), "nothing of the user's was replaced"
    assert not why_no_agent(runs, now + DOES_WITHOUT, sees_defaults=False)


@pytest.mark.parametrize(
    "runs",
    [
        (with_the_agent(0, SUCCEEDED), with_the_agent(1, FAILED, FailureKind.CODE)),
        (with_the_agent(1, FAILED, FailureKind.CODE), without_it(2, FAILED, FailureKind.CODE)),
        (with_the_agent(1, FAILED, FailureKind.EXECUTOR_LOST), without_it(2, SUCCEEDED)),
        (without_it(1, FAILED, FailureKind.CODE), without_it(2, SUCCEEDED)),
    ],
    ids=["it ran with it before", "it fails without it", "another failure", "it had none"],
)
def test_what_failed_for_another_reason_has_it_again(runs: tuple[Run, ...]) -> None:
    assert not why_no_agent(runs, runs[-1].started_at + timedelta(hours=12), sees_defaults=False)


JAR = "s3://jars/agent.jar"


def fetching(night: int, state: RunState, *, log: bool = False, jar: str = JAR) -> Run:
    decision = replace(with_the_agent(night, state).decision, fetched_jar=jar)
    run = without_it(night, state, decision=decision)
    return run if log or state is SUCCEEDED else replace(run, outcome=None)


def why_not_fetched(*runs: Run, days: float = 0.5, jar: str = JAR) -> str:
    return why_no_agent(runs, runs[-1].started_at + timedelta(days=days), jar=jar)


def test_a_jar_that_may_not_be_there_is_done_without_for_a_week() -> None:
    runs = (without_it(0, SUCCEEDED), fetching(1, FAILED), without_it(2, SUCCEEDED))
    assert f"see that {JAR} is there" in why_not_fetched(*runs)
    assert not why_not_fetched(*runs, days=DOES_WITHOUT.days)
    assert not why_not_fetched(*runs, jar="s3://jars/another.jar"), "another one may be there"
    assert not why_not_fetched(fetching(1, FAILED, log=True)), "Spark had started"
    assert not why_not_fetched(fetching(1, RunState.LOST)), "nobody saw it fail"


def test_one_that_was_there_is_tried_once_more() -> None:
    runs = (fetching(0, SUCCEEDED), fetching(1, FAILED))
    assert why_not_fetched(*runs)
    runs = (*runs, without_it(2, SUCCEEDED))
    assert not why_not_fetched(*runs)
    assert why_not_fetched(*runs, fetching(3, FAILED), without_it(4, SUCCEEDED))
    assert not why_not_fetched(*runs, fetching(3, SUCCEEDED))


def test_what_leaves_no_log_without_the_jar_either_has_it_again() -> None:
    assert not why_not_fetched(fetching(1, FAILED), fetching(2, FAILED, jar=""))


def test_directives_that_no_agent_read_are_lost() -> None:
    assert AgentRecord(is_directed=True).is_lost
    assert AgentRecord(is_directed=True, loaded=True, problem="NoSuchFileException").is_lost
    assert not AgentRecord(is_directed=True, loaded=True).is_lost
    assert not AgentRecord().is_lost
