"""Which runs a decision looks at."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.panel.nights import COHORT, keep, night, query
from tuner.history.store import Store
from tuner.loop.known_runs import known_marks, known_runs


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
