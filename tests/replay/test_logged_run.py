"""Whether an application failed: by one rule in a live harvest, in a replay, and from the tables of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.eventlog.samples import (
    JOIN,
    application_end,
    execution_end,
    execution_start,
    head,
    job_end,
    job_start,
    plan,
    stage_completed,
    stage_submitted,
    task_end,
    with_field,
    write,
)
from tests.plan.test_lost_events import lines as golden_lines
from tuner.eventlog.find import LogSource, find_logs
from tuner.loop import kept_queries
from tuner.loop.harvest import harvest
from tuner.model.query import QueryStatus
from tuner.model.run import RunState
from tuner.replay.cohort_of import BY_LOG
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.read_run import read_run
from tuner.replay.spool import Spool


def rdd_job(number: int, error: str | None, *, begun_ms: int) -> list[bytes]:
    start = with_field(job_start(None, job_id=number), ("Submission Time",), begun_ms)
    return [start, with_field(job_end(number, error), ("Completion Time",), begun_ms + 100)]


def command(number: int, *, begun_ms: int) -> bytes:
    """The start of one, which is no query."""
    return execution_start(number, sparkPlanInfo=plan("Execute CreateViewCommand"), time=begun_ms)


# Of a stage of which Spark dropped the end of one of two tasks.
DROPPED = [stage_submitted(), task_end(0, partition=0), stage_completed()]
QUERY = [execution_start(time=2000), execution_end(time=2400)]
ENDINGS: dict[str, tuple[Sequence[bytes], RunState]] = {
    "a job fails last": ([*QUERY, *rdd_job(0, "boom", begun_ms=2500)], RunState.FAILED),
    "the program goes on": ([*rdd_job(0, "boom", begun_ms=1500), *QUERY], RunState.SUCCEEDED),
    "a job makes up for it": (
        [*QUERY, *rdd_job(0, "boom", begun_ms=2500), *rdd_job(1, None, begun_ms=2700)],
        RunState.SUCCEEDED,
    ),
    "a job never ends": ([*QUERY, job_start(None)], RunState.FAILED),
    "a query fails": ([execution_start(1), execution_end(1, "boom", time=2100), *QUERY], RunState.FAILED),
    "a query never ends": ([*QUERY, execution_start(1, time=2500)], RunState.FAILED),
    "a command fails": ([command(1, begun_ms=1500), execution_end(1, "boom", time=1600), *QUERY], RunState.FAILED),
    "a command never ends": ([*QUERY, command(1, begun_ms=2500)], RunState.FAILED),
    "a command makes up for a job": (
        [*QUERY, *rdd_job(0, "boom", begun_ms=2500), command(1, begun_ms=2700), execution_end(1, time=2800)],
        RunState.SUCCEEDED,
    ),
    "a command came before the job that failed": (
        [*QUERY, command(1, begun_ms=2450), execution_end(1, time=2500), *rdd_job(0, "boom", begun_ms=2550)],
        RunState.FAILED,
    ),
    "a job of an execution that nothing else is known of fails last": (
        [*QUERY, job_start(7), job_end(0, "boom")],
        RunState.FAILED,
    ),
    "the end of a query is dropped": (
        [*QUERY, execution_start(1, time=2500), job_start(1), *DROPPED, job_end()],
        RunState.SUCCEEDED,
    ),
    "the ends of a query and its job are dropped": (
        [*QUERY, execution_start(1, time=2500), job_start(1), *DROPPED],
        RunState.SUCCEEDED,
    ),
    "the end of a query whose job fails is dropped": (
        [*QUERY, execution_start(1, time=2500), job_start(1), *DROPPED, job_end(0, "boom")],
        RunState.FAILED,
    ),
    "the end of a job is dropped": ([*QUERY, job_start(None), *DROPPED], RunState.SUCCEEDED),
    "a query fails where ends are dropped": (
        [execution_start(1, time=1500), job_start(1), *DROPPED, job_end(), execution_end(1, "boom"), *QUERY],
        RunState.FAILED,
    ),
    "all goes well": ([*QUERY, *rdd_job(0, None, begun_ms=2500)], RunState.SUCCEEDED),
}


def log(tmp_path: Path, work: Sequence[bytes], *, ended: bool = True) -> LogSource:
    (source,) = find_logs(write(tmp_path / "log", [*head(), *work, *([application_end()] if ended else [])]))
    return source


def logged(source: LogSource) -> LoggedRun:
    found, spool = read_run(source, BY_LOG), Spool(LoggedRun)
    assert found is not None and found.run is not None
    return spool.decoded(found.run)


def on_spark(source: LogSource) -> LoggedRun:
    """The run from its rows, put together as Spark does."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")
    from tests.pipeline.run_rows_here import rows_here
    from tuner.pipeline.run_rows import logged_runs

    unread: list[Any] = []
    (run,) = logged_runs(rows_here(source, "c", 0), lambda *told: unread.append(told))
    assert not unread
    return run


@pytest.mark.parametrize("how", ENDINGS)
def test_a_run_failed_by_the_same_rule_wherever_its_log_is_read(tmp_path: Path, how: str) -> None:
    work, state = ENDINGS[how]
    source = log(tmp_path, work)
    assert harvest(source).has_failed is (state is RunState.FAILED)
    assert logged(source).state is state
    assert on_spark(source).state is state


@pytest.mark.parametrize("how", ENDINGS)
def test_of_a_rolled_log_too_wherever_a_file_begins(tmp_path: Path, how: str) -> None:
    work, state = ENDINGS[how]
    lines = [*head(), *work, application_end()]
    for cut in range(1, len(lines)):
        directory = tmp_path / f"eventlog_v2_{cut}"
        for number, some in enumerate((lines[:cut], lines[cut:]), 1):
            write(directory / f"events_{number}_local-1", some)
        (source,) = find_logs(directory)
        assert (logged(source).state, on_spark(source).state) == (state, state), cut


@pytest.mark.parametrize("how", ENDINGS)
def test_of_a_log_that_breaks_off_the_same_is_told_from_the_tables(tmp_path: Path, how: str) -> None:
    source = log(tmp_path, ENDINGS[how][0], ended=False)
    fails = how in ("a query fails", "a command fails", "a query fails where ends are dropped")
    assert logged(source).state is on_spark(source).state is (RunState.FAILED if fails else RunState.PARTIAL)


def test_a_run_fails_not_for_an_end_that_spark_dropped_behind_those_of_tasks(tmp_path: Path) -> None:
    whole = golden_lines("4.3.0/adaptive-single-lz4")
    end = max(n for n, line in enumerate(whole) if b"SQLExecutionEnd" in line[:80])
    tasks = [n for n, line in enumerate(whole[:end]) if b"TaskEnd" in line[:60]][-4:]
    for lost, state in (({end}, RunState.FAILED), ({end, *tasks}, RunState.SUCCEEDED)):
        (source,) = find_logs(write(tmp_path / f"{state}", [line for n, line in enumerate(whole) if n not in lost]))
        run = logged(source)
        assert (harvest(source).has_failed, run.state) == (state is RunState.FAILED, state)
        assert run.outcome.queries[-1].status is QueryStatus.UNFINISHED


def test_of_a_server_of_queries_some_executions_are_kept_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 8)
    work = [
        line for number in range(50) for line in (execution_start(number, sparkPlanInfo=JOIN), execution_end(number))
    ]
    source = log(tmp_path, work)
    for queries in (logged(source).outcome.queries, on_spark(source).outcome.queries):
        assert [query.id for query in queries] == list(range(50))
        assert 4 <= sum(bool(query.joins) for query in queries) <= 8
