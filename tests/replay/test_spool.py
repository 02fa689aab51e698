"""Runs on disk, in time order."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.policy.histories import MIDNIGHT, outcome
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.run import RunState
from tuner.model.strategy import JoinType, Strategy
from tuner.replay import spool as spool_module
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.spool import Spool


def logged(night: int, cohort: str = "etl") -> LoggedRun:
    at = MIDNIGHT + timedelta(days=night)
    return LoggedRun(f"log-{night}", "app", f"app-{night}/1", cohort, 1, at, at, RunState.SUCCEEDED, outcome({"q1": 1}))


def test_runs_come_in_time_order_of_one_cohort_or_all() -> None:
    spool = Spool(LoggedRun)
    for run in (logged(3), logged(1), logged(2, "other")):
        spool.put(run)
    assert list(spool.runs(["etl"])) == [logged(1), logged(3)]
    assert [run.key for run in spool.runs()] == ["app-1/1", "app-2/1", "app-3/1"]
    assert list(spool.runs(["etl"], since=logged(2).started_at)) == [logged(3)]
    assert (spool.cohorts, spool.newest) == (["etl", "other"], logged(3).started_at)
    assert list(spool.runs(["nothing"])) == []
    assert Spool(LoggedRun).newest is None


def test_a_run_put_again_takes_the_place_of_the_first() -> None:
    spool = Spool(LoggedRun)
    spool.put(logged(1))
    better = replace(logged(1), log="another")
    spool.put(better)
    assert list(spool.runs()) == [better]
    assert spool.get("etl", better.key) == better
    assert spool.get("etl", "other") is None


def test_a_cohort_that_is_let_go_of_is_as_if_it_had_never_been_put() -> None:
    spool = Spool(LoggedRun)
    for run in (logged(1), logged(2, "other")):
        spool.put(run)
    spool.let_go_of("other")
    spool.let_go_of("nothing")
    assert (list(spool.runs()), spool.cohorts, spool.newest) == ([logged(1)], ["etl"], logged(1).started_at)


def test_an_estimate_beyond_64_bits_is_kept() -> None:
    """The planner multiplies sizes: a chain of cross joins is estimated at more bytes than a long holds."""
    side = JoinSide(("a",), estimated_bytes=10**40)
    join = JoinSite("s", 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), side, side, 1, None)
    run = logged(1)
    queries = tuple(replace(query, joins=(join,)) for query in run.outcome.queries)
    run = replace(run, outcome=replace(run.outcome, queries=queries))
    spool = Spool(LoggedRun)
    spool.put(run)
    assert list(spool.runs()) == [run]


def test_the_disk_of_replaced_runs_is_given_back_once_it_is_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that goes on for months decides anew on the same runs again and again."""
    monkeypatch.setattr(spool_module, "_LEAST_BYTES", 0)
    spool = Spool(LoggedRun)
    runs = [logged(1), logged(2, "other"), logged(3)]
    for run in runs:
        spool.put(run)
    once = spool.size_bytes
    for number in range(20):
        for run in runs:
            spool.put(run)
        spool.let_go_of_replaced()
        assert list(spool.runs()) == runs, number
        assert spool.size_bytes <= 2 * once
    stored = spool.stored("etl")
    spool.let_go_of_replaced()
    spool.put(logged(4))
    assert [run.key for run in spool.runs(["etl"])] == ["app-1/1", "app-3/1", "app-4/1"]
    assert list(stored.runs()) == [logged(1), logged(3)]


def test_little_that_is_replaced_stays_where_it_is() -> None:
    spool = Spool(LoggedRun)
    for _ in range(5):
        spool.put(logged(1))
    stored, size = spool.stored("etl"), spool.size_bytes
    spool.let_go_of_replaced()
    assert (list(stored.runs()), spool.size_bytes) == ([logged(1)], size)
