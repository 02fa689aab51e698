"""Where Spark finds the agent only by its name, the name stands beside what the service has."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.policy import histories
from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.run import Run
from tuner.policy.extensions_beside import extensions_beside
from tuner.policy.why_no_agent import DOES_WITHOUT, why_no_agent

ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def a_run(
    night: int, listed: str = "", *, missing: bool = False, followed: bool = False, spark: str = "3.5.1-amzn-1"
) -> Run:
    run = histories.run(night, {"q1": 10.0})
    assert run.outcome
    said = (DirectiveResult("hint", DirectiveStatus.APPLIED),) if followed else ()
    queries = tuple(replace(query, directives=said) for query in run.outcome.queries)
    conf = {"spark.app.name": "etl", **({"spark.sql.extensions": listed} if listed else {})}
    return replace(
        run, outcome=replace(run.outcome, agent_missing=missing, queries=queries, spark_version=spark, conf=conf)
    )


def next_run(*runs: Run, sees_defaults: bool = False) -> tuple[str | None, str]:
    """What the agent is named beside in the next run, and why it is not to have it."""
    now = runs[-1].started_at + timedelta(days=1)
    return extensions_beside(runs, DOES_WITHOUT), why_no_agent(runs, now, sees_defaults=sees_defaults)


@pytest.mark.parametrize(
    ("listed", "beside"),
    [("", ""), (ICEBERG, ICEBERG), (f"{ICEBERG}, a.B ,", f"{ICEBERG},a.B")],
)
def test_a_run_that_its_jar_did_not_bring_the_agent_to_names_it_next(listed: str, beside: str) -> None:
    assert next_run(a_run(0, listed), a_run(1, listed, missing=True)) == (beside, "")


def test_once_it_loaded_by_its_name_it_stays_named() -> None:
    by_name = a_run(2, f"a.B,{EXTENSIONS_CLASS}", followed=True)
    assert next_run(a_run(1, "a.B", missing=True), by_name) == ("a.B", "")
    assert next_run(a_run(1, "a.B", missing=True), by_name, a_run(3, "a.B,c.D")) == ("a.B,c.D", ""), (
        "a run without it tells what the service has now"
    )


def test_what_did_not_load_by_its_name_either_is_left_out_for_a_week() -> None:
    beside, why = next_run(a_run(1, missing=True), a_run(2, EXTENSIONS_CLASS, missing=True))
    assert why.startswith("it did not load in run etl/2/1")
    assert "deploy a jar" in why
    assert beside == ""


def test_a_program_that_sets_its_own_extensions_is_told_so() -> None:
    beside, why = next_run(a_run(1, "a.B", missing=True), a_run(2, "a.B", missing=True))
    assert beside is None
    assert "set spark.sql.extensions in the job's conf and not in its code" in why
    long_ago = a_run(2 + DOES_WITHOUT.days, "a.B", missing=True)
    assert next_run(a_run(1, "a.B", missing=True), long_ago) == ("a.B", ""), "after a week by its name again"


def test_a_session_that_asks_the_jar_needs_no_name() -> None:
    assert extensions_beside([a_run(1, missing=True, spark="4.0.1")], DOES_WITHOUT) is None
    assert extensions_beside([a_run(1, followed=True)], DOES_WITHOUT) is None, "Scala's sessions ask it before, too"
    assert extensions_beside([a_run(1)], DOES_WITHOUT) is None
    assert extensions_beside([], DOES_WITHOUT) is None
    moved = [a_run(1, EXTENSIONS_CLASS, followed=True), a_run(2, spark="4.0.1")]
    assert extensions_beside(moved, DOES_WITHOUT) is None


@pytest.mark.parametrize("listed", ["*********(redacted)", "a.B;rm -rf", "a" * 300 + " b"])
def test_what_is_no_list_of_classes_is_not_handed_on(listed: str) -> None:
    beside, why = next_run(a_run(1, listed, missing=True))
    assert beside is None
    assert why


def test_where_its_defaults_are_seen_it_was_named_all_along() -> None:
    _, why = next_run(a_run(1, missing=True), sees_defaults=True)
    assert "deploy a jar for that Spark and its Scala" in why
