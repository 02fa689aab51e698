"""Logs of clusters and shells nobody here ran: what they say, checked against the logs themselves."""

from __future__ import annotations

import collections
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, Executors, ProblemCode
from tuner.model.join_site import JoinSite
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.node import build_tree
from tuner.plan.queries import queries
from tuner.plan.relation import is_scan, relation_name

LOGS = Path(__file__).parents[2] / "../shared/eventlogs"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason=f"{LOGS} is not there")

# name, app id, Spark version, status, executions, stages, (cores, count) of executors
KNOWN: list[tuple[str, str, str, str, int, int, tuple[int, int]]] = [
    ("aqeshuffle_eventlog.zstd", "local-1651694304852", "3.2.1", "complete", 1, 4, (12, 1)),
    ("db_subExecution_id.zstd", "app-20240213185822-0000", "3.3.0", "partial", 12, 11, (8, 2)),
    ("eventlog_4nodes_8cores_dynamic_alloc.zstd", "application_1707709865217_0493", "3.2.1", "complete", 5, 20, (4, 7)),
    ("eventlog_dsv2.zstd", "local-1624371906627", "3.1.1", "complete", 9, 9, (12, 1)),
    ("eventlog_same_app_id_1.zstd", "local-1622043423018", "3.1.1", "partial", 2, 3, (8, 2)),
    ("eventlog_v2_local-1623876083964", "local-1623876083964", "3.1.1", "complete", 1, 4, (12, 1)),
    ("jdbc_eventlog.zstd", "app-20211019113801-0001", "3.1.1", "complete", 3, 4, (16, 1)),
    ("nds_q72_dataproc_2_2.zstd", "application_1751493828576_0001", "3.5.3", "complete", 25, 49, (16, 8)),
    ("python_udf_eventlog", "local-1774375206936", "3.5.5", "complete", 1, 2, (1, 1)),
    ("spark2-eventlog.zstd", "local-1634253215009", "2.2.3", "complete", 4, 6, (8, 1)),
    ("truncated_eventlog", "local-1622043423018", "3.1.1", "partial", 2, 3, (12, 1)),
]
NAMES = [known[0] for known in KNOWN]


@cache
def application(name: str) -> Application:
    (source,) = find_logs(LOGS / name)
    return read_application(source)


def raw_events(name: str) -> list[dict[str, Any]]:
    """The log once more, without the reader."""
    path, events = LOGS / name, []
    for file in sorted(path.glob("events_*")) if path.is_dir() else [path]:
        data = file.read_bytes()
        if file.suffix == ".zstd":
            data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        events += [json.loads(line) for line in data.splitlines() if line.endswith(b"}")]
    return events


@pytest.mark.parametrize(("name", "app_id", "version", "status", "executions", "stages", "executors"), KNOWN, ids=NAMES)
def test_what_is_known_of_it(
    name: str, app_id: str, version: str, status: str, executions: int, stages: int, executors: tuple[int, int]
) -> None:
    read = application(name)
    assert (read.app_id, read.spark_version, read.status.value) == (app_id, version, status)
    assert (len(read.executions), len(read.stages)) == (executions, stages)
    assert (read.executors.cores, read.executors.count) == executors
    assert bool(read.problems) is (status == "partial")
    assert all(not problem.retryable for problem in read.problems)


@pytest.mark.parametrize(
    ("name", "heap"),
    [
        ("db_subExecution_id.zstd", 6_290_931_712),  # set where no log tells
        ("nds_q72_dataproc_2_2.zstd", 50 << 30),
        ("eventlog_dsv2.zstd", 30 << 30),
        ("jdbc_eventlog.zstd", 5 << 30),
        ("spark2-eventlog.zstd", 1 << 30),
        ("eventlog_4nodes_8cores_dynamic_alloc.zstd", 1 << 30),
    ],
)
def test_the_heap_of_its_driver(name: str, heap: int) -> None:
    assert application(name).driver_memory_bytes == heap


@pytest.mark.parametrize("name", NAMES)
def test_what_the_log_says_itself(name: str) -> None:
    read, names = application(name), collections.Counter()
    run_times: dict[tuple[int, int], int] = collections.Counter()
    for event in raw_events(name):
        names[event["Event"].rsplit(".", 1)[-1]] += 1
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            run_times[event["Stage ID"], event["Stage Attempt ID"]] += event["Task Metrics"]["Executor Run Time"]
    assert len(read.executions) == names["SparkListenerSQLExecutionStart"]
    assert sum(e.end_ms is not None for e in read.executions) == names["SparkListenerSQLExecutionEnd"]
    assert (read.end_ms is not None) is (names["SparkListenerApplicationEnd"] == 1)
    assert {(s.stage_id, s.attempt): s.executor_run_time_ms for s in read.stages if s.executor_run_time_ms} == {
        stage: time for stage, time in run_times.items() if time
    }


def test_the_folder_as_a_whole_gives_every_log_and_names_what_is_none() -> None:
    read = {source.path.name: read_application(source) for source in find_logs(LOGS)}
    assert {name for name, known in read.items() if known.status is not Completeness.FAILED} == set(NAMES)
    notes = read["SOURCES.md"]
    assert notes.status is Completeness.FAILED
    assert [p.code for p in notes.problems] == [ProblemCode.NO_EVENTS]


def test_a_log_without_end_says_where_it_stops() -> None:
    (problem,) = application("truncated_eventlog").problems
    assert (problem.code, problem.line) == (ProblemCode.TRUNCATED, 62)
    assert problem.file.endswith("truncated_eventlog")


def test_sub_executions_of_databricks_name_their_root() -> None:
    roots = {e.execution_id: e.root_execution_id for e in application("db_subExecution_id.zstd").executions}
    assert {execution for execution, root in roots.items() if root == 5} == {5, 6, 7, 8, 9, 10}


def test_memory_of_executors_is_what_they_asked_for() -> None:
    assert application("nds_q72_dataproc_2_2.zstd").executors == Executors(cores=16, memory_bytes=40 << 30, count=8)


def joins(name: str) -> list[JoinSite]:
    return [join for query in queries(application(name)) for join in query.joins]


def tables(relations: tuple[str, ...]) -> list[str]:
    return [relation.rsplit("/", 1)[-1] for relation in relations]


def operator_rows(name: str) -> dict[str, list[int]]:
    """Rows that each kind of operator of the last plan put out, as the tasks' updates in the log add up."""
    totals: collections.Counter[int] = collections.Counter()
    last_plan: dict[str, Any] = {}
    for event in raw_events(name):
        if event["Event"] == "SparkListenerTaskEnd" and event["Task End Reason"]["Reason"] == "Success":
            for update in event["Task Info"]["Accumulables"]:
                if update.get("Metadata") == "sql":
                    totals[update["ID"]] += int(update["Update"])
        last_plan = event.get("sparkPlanInfo", last_plan)
    rows: dict[str, list[int]] = collections.defaultdict(list)
    stack = [last_plan]
    while stack:
        node = stack.pop()
        stack += node["children"]
        for metric in node["metrics"]:
            if metric["name"] == "number of output rows":
                rows[node["nodeName"]].append(totals[metric["accumulatorId"]])
    return rows


class TestQuery72:
    """A power run of NDS query 72 at scale on Dataproc."""

    NAME = "nds_q72_dataproc_2_2.zstd"

    def test_it_has_ten_joins(self) -> None:
        (query,) = queries(application(self.NAME))
        assert query.description == "query72"
        assert len(query.joins) == 10
        strategies = collections.Counter(join.strategy for join in query.joins)
        assert strategies == {Strategy.BROADCAST_HASH: 8, Strategy.SORT_MERGE: 2}
        assert len({(join.signature, join.occurrence) for join in query.joins}) == 10
        assert all(join.planned_strategy is join.strategy for join in query.joins)

    def test_catalog_sales_meets_inventory_in_a_sort_merge_join(self) -> None:
        (join,) = [
            j
            for j in joins(self.NAME)
            if tables(j.left.relations + j.right.relations) == ["catalog_sales", "inventory"]
        ]
        assert (join.strategy, join.type, join.build_side) == (Strategy.SORT_MERGE, JoinType.INNER, None)
        assert (join.left.rows, join.right.rows, join.output_rows) == (28564493, 981879524, 5241443564)
        assert [tuple(key.rsplit("/", 1)[-1] for key in pair) for pair in join.keys] == [
            ("catalog_sales.cs_item_sk", "inventory.inv_item_sk")
        ]
        assert join.left.shuffle_bytes and join.right.shuffle_bytes
        assert join.left.broadcast_bytes is None and join.right.broadcast_bytes is None

    def test_rows_of_every_join_are_those_the_tasks_counted(self) -> None:
        counted = operator_rows(self.NAME)
        for strategy in (Strategy.SORT_MERGE, Strategy.BROADCAST_HASH):
            read = [join.output_rows for join in joins(self.NAME) if join.strategy is strategy]
            assert sorted(r or 0 for r in read) == sorted(counted[strategy.value])

    def test_broadcast_sides_are_measured(self) -> None:
        for join in joins(self.NAME):
            if join.strategy is Strategy.BROADCAST_HASH:
                side = join.left if join.build_side is BuildSide.LEFT else join.right
                assert side.broadcast_bytes and side.rows, join

    def test_pruning_does_not_add_relations_or_joins(self) -> None:
        (left_outer,) = [
            j
            for j in joins(self.NAME)
            if j.type is JoinType.LEFT_OUTER and "catalog_returns" in tables(j.right.relations)
        ]
        assert collections.Counter(tables(left_outer.left.relations)) == {
            "catalog_sales": 1,
            "inventory": 1,
            "warehouse": 1,
            "item": 1,
            "customer_demographics": 1,
            "household_demographics": 1,
            "date_dim": 3,
            "promotion": 1,
        }


@pytest.mark.parametrize(
    ("name", "strategies", "rows"),
    [
        ("aqeshuffle_eventlog.zstd", [Strategy.SORT_MERGE], (10_000_000, 10_000_000, 10_000_000)),
        ("eventlog_v2_local-1623876083964", [Strategy.SORT_MERGE], (1_000_000_000, 1_000_000_000, 1_000_000_000)),
        ("spark2-eventlog.zstd", [Strategy.BROADCAST_HASH] * 2, (3, 3, 3)),
        ("truncated_eventlog", [Strategy.SORT_MERGE], (8_333_333, 6_666_666, None)),  # the join itself never ran
        ("jdbc_eventlog.zstd", [], None),
    ],
)
def test_joins_of_older_versions(name: str, strategies: list[Strategy], rows: tuple[int | None, ...] | None) -> None:
    assert [join.strategy for join in joins(name)] == strategies
    assert {(join.left.rows, join.right.rows, join.output_rows) for join in joins(name)} == ({rows} if rows else set())


@pytest.mark.parametrize(
    "name", ["aqeshuffle_eventlog.zstd", "eventlog_v2_local-1623876083964", "spark2-eventlog.zstd"]
)
def test_rows_of_joins_of_older_versions_are_those_the_tasks_counted(name: str) -> None:
    counted, join = operator_rows(name), joins(name)[-1]
    assert [join.output_rows] == counted[join.strategy.value]
    (scans,) = (rows for operator, rows in counted.items() if operator.startswith("Scan"))
    assert [join.left.rows, join.right.rows] == scans


def test_relations_of_other_sources_have_names() -> None:
    def relations(name: str) -> set[str]:
        plans = [build_tree(e.initial_plan, {}) for e in application(name).executions if e.initial_plan]
        return {relation_name(node) for plan in plans for node in plan.walk_all() if is_scan(node)}

    assert "jdbc:tbls" in relations("jdbc_eventlog.zstd")
    assert "default.people_large_2" in relations("db_subExecution_id.zstd")
    source = "file:/home/user1/workspace/spark-rapids-another/lotscolumnsout"
    assert source in relations("eventlog_dsv2.zstd")


def test_the_same_job_five_times_is_one_query() -> None:
    found = queries(application("eventlog_4nodes_8cores_dynamic_alloc.zstd"))
    assert len(found) == 5
    assert len({query.fingerprint for query in found}) == 1
    assert len({query.joins[0].signature for query in found}) == 1
