"""Which runs a decision looks at."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.panel.nights import COHORT, keep, night, query
from tuner.history.store import Store
from tuner.loop.known_runs import known_marks, known_runs, number_known
from tuner.model.run import RunState


def test_a_run_whose_clock_was_days_ahead_is_not_the_latest_for_all_these_days(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    times = {
        "usual": now - timedelta(hours=2),
        "a little ahead": now + timedelta(hours=2),
        "far": now + timedelta(days=60),
    }
    runs = [
        replace(night(n, query("q1", 10)), key=key, started_at=at, ended_at=at + timedelta(minutes=1))
        for n, (key, at) in enumerate(times.items())
    ]
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        keep(store, *runs)
        assert [run.key for run in known_runs(store, COHORT)] == ["usual", "a little ahead"]
        assert [mark.key for mark in known_marks(store, COHORT)] == ["usual", "a little ahead"]


@pytest.mark.parametrize(
    ("instances", "known"),
    [
        pytest.param(1, 60, id="not mapped"),
        pytest.param(20, 100, id="five DAG runs"),
        pytest.param(100, 400, id="as many as are judged in time"),
        pytest.param(180, 540, id="three DAG runs at least"),
        pytest.param(300, 600, id="never more"),
    ],
)
def test_of_a_mapped_task_the_runs_of_several_nights(
    instances: int, known: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs_since(_: Store, cohort: str, dag_runs: int, most: int) -> int:
        return min(most, dag_runs * instances)

    monkeypatch.setattr(Store, "runs_since", runs_since)
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        assert number_known(store, COHORT) == known


def test_what_was_measured_before_a_long_outage_is_still_known(tmp_path: Path) -> None:
    nights = [night(n, query("q1", 10)) for n in range(5)]
    failed = (night(n, state=RunState.FAILED) for n in range(5, 135))
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        keep(store, *nights, *(replace(run, outcome=None) for run in failed))
        assert [run.key for run in known_runs(store, COHORT) if run.outcome] == [run.key for run in nights]
        assert len(known_marks(store, COHORT)) == number_known(store, COHORT) == 135
