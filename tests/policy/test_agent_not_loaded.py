"""Cohorts whose Spark does not load the agent do without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.policy import histories
from tuner.model.agent_record import AgentRecord
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.run import Run
from tuner.policy.agent_not_loaded import DOES_WITHOUT, why_no_agent


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


def test_directives_that_no_agent_read_are_lost() -> None:
    assert AgentRecord(is_directed=True).is_lost
    assert AgentRecord(is_directed=True, loaded=True, problem="NoSuchFileException").is_lost
    assert not AgentRecord(is_directed=True, loaded=True).is_lost
    assert not AgentRecord().is_lost
