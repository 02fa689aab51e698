"""The clock is set while jobs run: runs are still found, measured and judged, and none twice."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.dying import Cohort
from tests.nightly import Spark, replace_in_loop
from tuner.eventlog.location import local_path
from tuner.history.store import Store
from tuner.loop.loop import Turn, complete
from tuner.loop.settle_earlier import LOST_AFTER
from tuner.model.decision import Standing
from tuner.model.run import RunState
from tuner.policy.ledger import read_ledger
from tuner.steering.submit_conf import EVENT_LOG_DIR

JUMPS = [timedelta(days=days, hours=hours) for days, hours in ((0, 2), (0, -2), (400, 0), (-400, 0))]
Set = Callable[[timedelta], None]


@pytest.fixture
def cohort(tmp_path: Path) -> Cohort:
    return Cohort(tmp_path)


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Sets the tuner's clock so far from the machine's, whose files keep the right time."""

    def set_by(offset: timedelta) -> None:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
                return datetime.now(tz) + offset

        replace_in_loop(monkeypatch, "datetime", Clock)

    return set_by


def log_of(turn: Turn) -> Path:
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    return next(directory.iterdir())


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_between_decision_and_harvest(cohort: Cohort, set_clock: Set, jump: timedelta) -> None:
    """Set back, the log looks older than its run; either way the run may end before it began."""
    cohort.run("e/1/1")
    turn = cohort.prepare("e/2/1")
    set_clock(jump)
    cohort.spark(turn).run(turn)
    report = complete(turn, cohort.url, failed=False)
    assert report.problems == ()
    assert report.judgement is not None
    assert {r.standing for r in report.judgement.records} == {Standing.PROMOTED}
    assert cohort.prepare("e/3/1").problems == ()


def test_a_log_that_looks_older_than_its_run_is_found(cohort: Cohort, set_clock: Set) -> None:
    set_clock(timedelta(hours=3))
    turn = cohort.prepare("e/1/1")
    Spark().run(turn)
    assert complete(turn, cohort.url, failed=False).problems == ()


def test_a_log_that_looks_older_than_its_unseen_run_is_found(cohort: Cohort, set_clock: Set) -> None:
    set_clock(timedelta(hours=3))
    Spark().run(cohort.prepare("e/1/1"))
    set_clock(timedelta(0))
    assert cohort.prepare("e/2/1").decision.in_force


def test_in_a_directory_of_the_users_own_older_logs_are_still_not_read(cohort: Cohort, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    cohort.user_conf = {EVENT_LOG_DIR: own.as_uri()}
    turn = cohort.prepare("e/1/1")
    Spark().run(turn)
    os.utime(log_of(turn), (1, 1))
    (problem,) = complete(turn, cohort.url, failed=False).problems
    assert "no event log" in problem


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_between_runs(cohort: Cohort, set_clock: Set, jump: timedelta) -> None:
    """Runs are then out of order: each is still measured, and every trial judged once."""
    cohort.run("e/1/1")
    cohort.run("e/2/1")
    set_clock(jump)
    for night in (3, 4):
        report = cohort.run(f"e/{night}/1")
        assert report.problems == ()
        assert {d.standing for d in report.turn.decision.changes} == {Standing.PROMOTED}
    set_clock(timedelta(0))
    assert {d.standing for d in cohort.run("e/5/1").turn.decision.changes} == {Standing.PROMOTED}
    with Store.open(cohort.url) as store:
        runs = store.runs(cohort.cohort)
    assert len(runs) == 5
    assert {run.state for run in runs} == {RunState.SUCCEEDED}
    assert all(record.standing is Standing.PROMOTED for record in read_ledger(runs).values())


def test_a_run_given_up_because_the_clock_leapt_keeps_what_it_then_measures(cohort: Cohort, set_clock: Set) -> None:
    cohort.run("e/1/1")
    turn = cohort.prepare("e/2/1")
    spark = cohort.spark(turn)
    replace(spark, ended=False).run(turn)
    set_clock(LOST_AFTER * 2)
    assert cohort.prepare("e/3/1").problems == ()
    given_up = cohort.stored("e/2/1")
    assert (given_up.state, given_up.outcome is not None) == (RunState.FAILED, True)
    set_clock(timedelta(0))
    log_of(turn).unlink()
    spark.run(turn)
    assert complete(turn, cohort.url, failed=False).problems == ()
    run = cohort.stored("e/2/1")
    assert (run.state, run.outcome.duration_ms) == (RunState.SUCCEEDED, 4500)


def test_a_query_that_ends_before_it_starts_is_not_measured(cohort: Cohort) -> None:
    """Spark takes times from the clock too: what took less than nothing is no gain."""
    cohort.run("e/1/1")
    turn = cohort.prepare("e/2/1")
    replace(cohort.spark(turn), seconds=-3600.0).run(turn)
    report = complete(turn, cohort.url, failed=False)
    assert report.problems == ()
    assert report.judgement is not None
    assert {r.standing for r in report.judgement.records} == {Standing.TRIAL}
    assert report.judgement.gained_seconds is None
