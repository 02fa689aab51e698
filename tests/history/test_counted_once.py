"""Of an execution and those within it, the ones that did the work are a run's queries."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from tests.advice.joins import inner, query, side
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.counted_once import counted_once
from tuner.history.outcome import outcome_of
from tuner.model.query import Query, QueryStatus
from tuner.plan.queries import queries

LOGS = Path(__file__).parents[1] / "golden" / "logs"
DATABRICKS = Path(__file__).parents[2] / "../shared/eventlogs/db_subExecution_id.zstd"


BASE = query(inner(side("fact"), side("dim")))


def ran(id_: int, start_ms: int, end_ms: int, *, root: int = 1, tasks: int = 0, name: str = "") -> Query:
    """An execution of so many tasks, in which one that is its root may have begun it."""
    times = {"start_ms": start_ms, "duration_ms": end_ms - start_ms}
    return replace(BASE, id=id_, root_id=root, fingerprint=name or str(id_), task_count=tasks, **times)


HOST = ran(1, 0, 100)
WORKER = ran(2, 10, 90, tasks=4)


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        pytest.param((HOST, WORKER), [2], id="a micro-batch whose foreachBatch runs a query"),
        pytest.param((HOST, ran(2, 5, 95), ran(3, 10, 90, tasks=4)), [3], id="a table made by a write in an execution"),
        pytest.param((ran(1, 0, 100, tasks=2, name="q"), ran(2, 10, 90, tasks=4, name="q")), [2], id="shown twice"),
        pytest.param(
            (ran(1, 0, 9, root=1, name="q"), ran(2, 1, 8, root=2, tasks=4, name="q")), [2], id="before Spark 3.4"
        ),
        pytest.param((ran(1, 0, 9, tasks=1, name="q"), ran(2, 1, 8, root=2, tasks=4, name="q")), [1, 2], id="at once"),
        pytest.param((ran(1, 0, 100, tasks=2), WORKER), [1, 2], id="has tasks of its own"),
        pytest.param((HOST, ran(2, 10, 90)), [1, 2], id="nothing has tasks"),
        pytest.param((HOST, ran(2, 10, 90, root=2, tasks=4)), [1, 2], id="ran beside it"),
        pytest.param((HOST, ran(2, 200, 290, tasks=4)), [1, 2], id="a thread that it made goes on after it"),
        pytest.param((replace(HOST, status=QueryStatus.FAILED), WORKER), [1, 2], id="failed"),
        pytest.param((replace(HOST, duration_ms=None), WORKER), [1, 2], id="did not end"),
    ],
)
def test_what_executions_within_it_did_is_theirs(found: tuple[Query, ...], kept: list[int]) -> None:
    assert [one.id for one in counted_once(found)] == kept


def test_queries_of_one_thread_pool_in_an_execution_take_no_time_to_tell() -> None:
    pool = [ran(n, n, n + 9, tasks=n % 2) for n in range(2, 20_000)]
    assert len(counted_once([ran(1, 0, 30_000), *pool])) > 9_000
    again = [ran(n, n, n + 9, root=n, tasks=1, name="q") for n in range(20_000)]
    assert len(counted_once(again)) == len(again)


@pytest.mark.parametrize("log", ["3.5.9/commands", "4.3.0/commands", "4.3.0/cache"])
def test_seconds_of_spark_add_up_to_no_more_than_passed(log: str) -> None:
    (source,) = find_logs(LOGS / log)
    application = read_application(source)
    found = outcome_of(application, queries(application)).queries
    spans = sorted((one.start_ms, one.start_ms + (one.duration_ms or 0)) for one in found)
    assert spans and all(later[0] >= earlier[1] for earlier, later in itertools.pairwise(spans))


@pytest.mark.skipif(not DATABRICKS.is_file(), reason=f"{DATABRICKS} is not there")
def test_a_table_that_databricks_replaces_counts_once() -> None:
    (source,) = find_logs(DATABRICKS)
    application = read_application(source)
    found = queries(application)
    assert [one.id for one in found] == [5, 6, 7, 8, 9, 10]
    assert [one.id for one in counted_once(found)] == [6, 7, 8, 9, 10]
