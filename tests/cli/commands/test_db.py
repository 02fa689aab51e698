"""`spark-tuner db prune`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.panel.nights import COHORT, keep, night, query
from tuner.history.store import Store
from tuner.loop.next_decision import HISTORY_RUNS

Call = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with three runs more than a decision looks at, long ago."""
    found = f"sqlite:///{tmp_path}/history.db"
    with Store.open(found) as store:
        keep(store, *(night(number - 9999, query("q1", 10)) for number in range(HISTORY_RUNS + 3)))
    return found


def test_it_says_what_it_lets_go_of(spark_tuner: Call, url: str) -> None:
    day = datetime.now(UTC) - timedelta(days=90)
    dry = spark_tuner("db", "prune", "--keep-days", 90, "--dry-run")
    assert f"would let go of the plans of 3 runs of before {day:%Y-%m-%d}, of 1 cohort: " in dry.said
    done = spark_tuner("db", "prune", "--keep-days", 90)
    assert (done.code, done.said) == (0, dry.said.replace("would let go", "let go"))
    again = spark_tuner("db", "prune", "--keep-days", 90)
    assert "no run of before" in again.said
    with Store.open(url) as store:
        assert store.count(COHORT) == HISTORY_RUNS + 3


def test_how_long_plans_are_kept_is_to_be_said(spark_tuner: Call, url: str) -> None:
    for wrong in ([], ["--keep-days", "0"], ["--keep-days", "99999999999"], ["--keep-days", "a month"]):
        assert spark_tuner("db", "prune", *wrong).code == 2
    with Store.open(url) as store:
        assert not any(store.plans_let_go(run.key) for run in store.runs(COHORT, 99))


def test_a_store_that_is_not_there_is_not_made(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("db", "prune", "--keep-days", 90, "--db", f"sqlite:///{tmp_path}/none.db")
    assert (result.code, result.out) == (1, "")
    assert "there is no history store; check --db" in result.err


def test_a_run_without_plans_is_not_compared(spark_tuner: Call, url: str) -> None:
    spark_tuner("db", "prune", "--keep-days", 90)
    with Store.open(url) as store:
        first, last = store.runs(COHORT, 99)[:: HISTORY_RUNS + 2]
    result = spark_tuner("compare", first.key, last.key)
    assert (result.code, result.out) == (1, "")
    assert f"run {first.key} cannot be compared: its plans were let go (spark-tuner db prune)" in result.err
    shown = spark_tuner("status", COHORT, "--runs", 99)
    assert shown.code == 0
