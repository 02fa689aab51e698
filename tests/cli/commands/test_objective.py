"""`spark-tuner objective`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.nightly import Nightly
from tuner.history.store import Store
from tuner.model.decision import Decision, Mode
from tuner.model.objective import Objective
from tuner.model.run import Run, RunState
from tuner.panel.answers import audit_answer
from tuner.panel.facts import CohortFacts
from tuner.panel.recent_runs import RecentRuns

Call = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/history.db"
    run = Run("etl/1", "etl.load", 1, datetime.now(UTC), RunState.RUNNING, Decision(Mode.OBSERVE, ()), "/e")
    with Store.open(url) as store:
        store.begin(run)
    return url


def test_an_objective_is_set_with_who_and_why_and_given_back(spark_tuner: Call, url: str) -> None:
    result = spark_tuner("objective", "etl.load", "cost", "--reason", "the bill")
    assert (result.code, result.said) == (0, f"objective cost: from the next run of etl.load on store: {url}")
    assert spark_tuner("objective", "etl.load", "default").out.startswith("the objective of the job: from the next run")
    with Store.open(url) as store:
        first, last = store.objective_changes("etl.load")
    assert (first.objective, first.reason, last.objective) == (Objective.COST, "the bill", None)
    assert first.by


def test_an_unknown_cohort_or_objective_is_refused(spark_tuner: Call, url: str) -> None:
    unknown = spark_tuner("objective", "other", "cost")
    assert (unknown.code, unknown.err.count("\n")) == (1, 1)
    assert "no run of cohort 'other'" in unknown.err
    assert spark_tuner("objective", "etl.load", "fun").code == 2


def test_the_next_run_has_it_also_where_it_was_decided_ahead(spark_tuner: Call, url: str, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    job = Nightly(tmp_path)
    for number in range(2, 8):
        assert job.night(f"etl/{number}/1").turn.decision.objective is Objective.TIME
    spark_tuner("objective", "etl.load", "balanced")
    assert job.night("etl/8/1").turn.decision.objective is Objective.BALANCED
    spark_tuner("objective", "etl.load", "default")
    assert job.prepare("etl/9/1").decision.objective is Objective.TIME


def test_the_panel_shows_who_set_it(spark_tuner: Call, url: str) -> None:
    spark_tuner("objective", "etl.load", "cost", "--reason", "the bill")
    with Store.open(url) as store:
        (summary,) = store.cohorts()
        facts = CohortFacts(store, RecentRuns(), summary)
        (said,) = audit_answer(facts, 10, 0).items
        assert facts.objective is Objective.COST
    assert (said.did, said.objective, said.reason) == ("objective", "cost", "the bill")
