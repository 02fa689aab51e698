"""What the operators of each stage had to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from textwrap import indent

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_log
from tuner.model.application import Stage, Work
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode
from tuner.plan.queries import query_and_plans
from tuner.plan.query_work import query_work as work_of
from tuner.plan.sides import SHUFFLE_WRITE_METRICS, SHUFFLES

from .trees import plan

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"

MERGED = """
SortMergeJoin | [k#1], [k#2], Inner | number of output rows=500
  Sort | [k#1 ASC NULLS FIRST], false, 0 | sort time=70
    Exchange | hashpartitioning(k#1, 8) | data size=800; shuffle records written=40; local blocks read=16
      Filter | (v#3 > 1) | number of output rows=40
        Scan parquet | [k#1,v#3] | number of output rows=100
  Sort | [k#2 ASC NULLS FIRST], false, 0 | sort time=30
    Exchange | hashpartitioning(k#2, 8) | data size=600; shuffle records written=30; local blocks read=8
      Scan parquet | [k#2] | number of output rows=30
"""


_TOLD = frozenset(
    {"stage_id", "attempt", "execution_id", "tasks", "completed_tasks", "submitted_ms", "completed_ms", "failure"}
    | {"executor_run_time_ms", "accumulator_ids", "job_ids", "longest_task_ms"}
    | {"longest_task_bytes", "most_written_bytes"}
)


def stage(number: int, nodes: Iterable[PlanNode], core_ms: int = 1000, tasks: int = 2) -> Stage:
    """A stage that updated these operators' metrics: of shuffles those written if they are its topmost."""
    nodes = list(nodes)
    ids: set[int] = set()
    for node in nodes:
        names: Iterable[str] = node.metric_ids
        if node.name in SHUFFLES:
            written = node is nodes[0]
            names = [name for name in names if (name in SHUFFLE_WRITE_METRICS) == written]
        ids.update(node.metric_ids[name] for name in names)
    return Stage(
        stage_id=number,
        attempt=0,
        execution_id=0,
        tasks=tasks,
        completed_tasks=tasks,
        submitted_ms=0,
        completed_ms=core_ms,
        failure=None,
        executor_run_time_ms=core_ms,
        accumulator_ids=frozenset(ids),
        **{field.name: 0 for field in fields(Stage) if field.name not in _TOLD},
    )


def query_work(root: PlanNode, stages: Sequence[Stage]) -> QueryWork:
    return work_of(MeasuredPlan(root, stages), stages)


def amounts(work: QueryWork) -> list[dict[str, float]]:
    return [dict(found.amounts) for found in work.stages]


def test_a_sort_merge_join_and_the_stages_that_feed_it() -> None:
    join = plan(MERGED)
    left_sort, left, filter_, left_scan, right_sort, right, right_scan = list(join.walk())[1:]
    stages = [
        stage(0, [left, filter_, left_scan]),
        stage(1, [right, right_scan]),
        stage(2, [join, left_sort, right_sort, left, right]),
    ]
    work = query_work(join, stages)
    assert amounts(work) == [
        {"task": 2, "compile": 2, "scan": 200, "filter": 100, "shuffle_write": 800, "shuffle_write_row": 40},
        {"task": 2, "compile": 1, "scan": 30, "shuffle_write": 600, "shuffle_write_row": 30},
        {"task": 2, "compile": 3, "emit": 500, "merge": 70, "sort": 70, "shuffle_read": 1400, "shuffle_segment": 24},
    ]
    assert work.sorts == SortWork(rows=70, sort_ms=100)
    assert [(s.stage_id, s.tasks, s.core_ms) for s in work.stages] == [(0, 2, 1000), (1, 2, 1000), (2, 2, 1000)]


def test_what_a_range_partitioning_samples_runs_twice_with_all_that_it_reads() -> None:
    """As a job of Spark 4.3 had it: what tasks count of a join is doubled, what its shuffles have written is not."""
    ranges = "Exchange | rangepartitioning(v#3 ASC NULLS FIRST, 8) | data size=900; shuffle records written=250"
    root = plan(f"{ranges}\n{indent(MERGED.strip(), '  ')}")
    join = root.children[0]
    left_sort, left, *_, right_sort, right, _ = list(join.walk())[1:]
    running = [join, left_sort, right_sort, left, right]
    work = query_work(root, [stage(2, running), replace(stage(3, [root, *running]), submitted_ms=1000)])
    once = {"task": 2, "compile": 3, "emit": 250, "merge": 70, "sort": 70, "shuffle_read": 1400, "shuffle_segment": 12}
    assert amounts(work) == [once, {**once, "shuffle_write": 900, "shuffle_write_row": 250}]
    assert work.sorts == SortWork(rows=140, sort_ms=100)


def test_a_broadcast_join_probes_one_side_and_builds_the_other_on_the_driver() -> None:
    join = plan(
        "BroadcastHashJoin | [k#1], [k#2], Inner, BuildRight, false | number of output rows=90\n"
        "  Scan parquet | [k#1] | number of output rows=100\n"
        "  BroadcastExchange | HashedRelationBroadcastMode(List(k#2)) | number of output rows=5; data size=640; "
        "time to collect=7; time to build=3; time to broadcast=2\n"
        "    Scan parquet | [k#2] | number of output rows=5"
    )
    scan, _, small = list(join.walk())[1:]
    work = query_work(join, [stage(0, [join, scan]), stage(1, [small])])
    assert amounts(work)[0] == {"task": 2, "compile": 2, "scan": 100, "probe": 100, "emit": 90}
    assert work.broadcasts == (BroadcastWork(rows=5, bytes=640, collect_ms=7, build_ms=3, broadcast_ms=2),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "HashAggregate | HashAggregate(keys=[a#1, b#2], functions=[sum(c#3)]) | number of output rows=10",
            {"aggregate": 100, "aggregate_function": 100, "group": 30},
        ),
        ("Project | [a#1, (b#2 + 1) AS x#4, upper(c#3) AS y#5]", {"project": 200}),
        ("Window | [rank(a#1) windowspecdefinition(b#2) AS r#9], [b#2], [a#1] | spill size=", {"window": 100}),
        ("Expand | [[a#1], [b#2]], [x#4] | number of output rows=300", {"expand": 300}),
        ("TakeOrderedAndProject | limit=10, orderBy=[a#1 ASC NULLS FIRST], output=[a#1]", {"sort": 100}),
    ],
)
def test_one_operator(text: str, expected: dict[str, float]) -> None:
    root = plan(f"{text}\n  Scan parquet | [a#1,b#2,c#3] | number of output rows=100")
    (found,) = amounts(query_work(root, [stage(0, root.walk())]))
    assert found == {"task": 2, "compile": 2, "scan": 300, **expected}


def test_pairs_of_a_nested_loop() -> None:
    root = plan(
        "BroadcastNestedLoopJoin | BuildRight, Inner, (a#1 > b#2) | number of output rows=7\n"
        "  Scan parquet | [a#1] | number of output rows=100\n"
        "  BroadcastExchange | IdentityBroadcastMode | number of output rows=5\n"
        "    Scan parquet | [b#2] | number of output rows=5"
    )
    found = amounts(query_work(root, [stage(0, list(root.walk())[:2])]))[0]
    assert (found["pair"], found["emit"]) == (500, 7)


PRODUCT = """
CartesianProduct | (a#1 < b#2) | number of output rows=7
  Filter | isnotnull(a#1) | number of output rows=200
    Scan parquet | [a#1] | number of output rows=200
  Project | [b#2]
    Exchange | RoundRobinPartitioning(2), REPARTITION_BY_NUM | data size=480; shuffle records written=60; records read=240
      Scan parquet | [b#2] | number of output rows=60
"""


def test_pairs_of_a_product_are_those_of_its_rows_though_each_task_reads_and_counts_them_anew() -> None:
    """100 rows in 4 partitions and 60 in 2: eight tasks, which read the ones twice and the others four times."""
    root = plan(PRODUCT)
    left, left_scan, right, shuffle, right_scan = list(root.walk())[1:]
    assert shuffle.metrics["shuffle records written"] == 60
    ran = [stage(0, [shuffle, right_scan]), stage(1, [root, left, left_scan, right, shuffle], tasks=8)]
    found = amounts(query_work(root, ran))[1]
    assert (found["pair"], found["emit"], found["scan"]) == (100 * 60, 7, 200)


def test_a_product_whose_stage_ran_again_in_part_has_the_tasks_of_its_first_attempt() -> None:
    root = plan(PRODUCT)
    nodes = [node for node in root.walk() if node.name in ("CartesianProduct", "Filter")]
    first = stage(1, nodes, tasks=8)
    found = amounts(query_work(root, [first, replace(first, attempt=1, tasks=2, completed_tasks=2)]))
    assert sum(attempt["pair"] for attempt in found) == 100 * 60


def test_what_a_later_attempt_ran_again_is_its_share_of_the_tasks() -> None:
    join = plan(MERGED)
    left_sort, left, filter_, left_scan, right_sort, right, right_scan = list(join.walk())[1:]
    written = stage(0, [left, filter_, left_scan], tasks=15)
    read = stage(2, [join, left_sort, right_sort, left, right], tasks=15)
    again = (replace(ran, attempt=1, tasks=5, completed_tasks=5) for ran in (written, read))
    first, other, joined, second, joined_again = amounts(
        query_work(join, [written, stage(1, [right, right_scan]), read, *again])
    )
    assert (first["shuffle_write"], second["shuffle_write"]) == (600, 200)
    assert (first["scan"], second["scan"]) == (150, 50)
    assert (joined["shuffle_read"], joined_again["shuffle_read"]) == (1050, 350)
    assert (joined["merge"], joined_again["merge"]) == (52, 18)
    assert other["shuffle_write"] == 600


def test_work_of_two_stages_is_split_and_what_is_reused_counts_once() -> None:
    root = plan("Filter | (a#1 > 1) | number of output rows=9\n  Scan parquet | [a#1] | number of output rows=100")
    both = query_work(root, [stage(0, root.walk()), stage(1, root.walk())])
    assert [found["filter"] for found in amounts(both)] == [50, 50]


def test_a_query_without_stages() -> None:
    assert query_work(plan("Scan parquet | [a#1] | number of output rows=1"), []) == QueryWork(())


@pytest.mark.parametrize("log", sorted(path.name for path in GOLDEN.iterdir()) if GOLDEN.exists() else [])
def test_every_version_of_spark_tells_what_its_stages_did(log: str) -> None:
    found: list[QueryWork] = []

    def take(work: Work) -> None:
        if work.execution and (plans := query_and_plans(work.execution, work.stages)):
            found.append(query_work(plans[2], work.stages))

    for source in find_logs(GOLDEN / log):
        read_log(source, take)
    stages = [stage for work in found for stage in work.stages if stage.core_ms]
    placed = [stage for stage in stages if set(stage.amounts) - {"task", "spill"}]
    assert len(stages) > 10
    assert len(placed) >= 0.9 * len(stages)
