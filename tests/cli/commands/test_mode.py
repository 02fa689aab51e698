"""`spark-tuner mode`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tuner.history.store import Store
from tuner.model.decision import Decision, Mode
from tuner.model.run import Run, RunState

Call = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/history.db"
    run = Run("etl/1", "etl.nightly", 1, datetime.now(UTC), RunState.RUNNING, Decision(Mode.OBSERVE, ()), "/e")
    with Store.open(url) as store:
        store.begin(run)
    return url


def test_a_mode_is_set_with_who_and_why_and_given_back(spark_tuner: Call, url: str) -> None:
    result = spark_tuner("mode", "etl.nightly", "auto", "--reason", "trusted")
    assert (result.code, result.said) == (0, f"mode auto: from the next run of etl.nightly on store: {url}")
    assert spark_tuner("mode", "etl.nightly", "default").out.startswith("the mode of the job: from the next run")
    with Store.open(url) as store:
        first, last = store.mode_changes("etl.nightly")
    assert (first.mode, first.reason, last.mode) == (Mode.AUTO, "trusted", None)
    assert first.by


def test_an_unknown_cohort_or_mode_is_refused(spark_tuner: Call, url: str) -> None:
    unknown = spark_tuner("mode", "other", "auto")
    assert (unknown.code, unknown.err.count("\n")) == (1, 1)
    assert "no run of cohort 'other'" in unknown.err
    assert spark_tuner("mode", "etl.nightly", "reckless").code == 2
