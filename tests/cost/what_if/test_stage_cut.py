"""Stages of an order, and how many tasks each has."""

from __future__ import annotations

import pytest

from tests.cost.what_if.graphs import CHAIN, CLUSTER, LARGE, MB, SAME_KEY, what_if
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import Given, GivenJoin
from tuner.cost.what_if.execution_conf import ExecutionConf, read_execution_conf
from tuner.cost.what_if.task_counts import WRITTEN_SHARE, scan_tasks, shuffle_tasks
from tuner.model.join_graph import GraphRelation, RelationKind
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.selection_conf import SelectionConf

MIB = 1 << 20
DEFAULT = ExecutionConf()


@pytest.mark.parametrize(
    ("mib", "files", "cores", "conf", "tasks"),
    [
        (1024, 1, 2, DEFAULT, 8),  # 128 MB each
        (100, 1, 10, DEFAULT, 10),  # the cores are to be busy
        (10, 1, 100, DEFAULT, 3),  # 4 MB at least
        (0, 1, 4, DEFAULT, 1),
        (100, 1, 4, ExecutionConf(min_splits=20), 20),
        (1024, 1, 2, ExecutionConf(max_split_bytes=512 * MIB), 2),
    ],
)
def test_tasks_of_a_scan(mib: int, files: int, cores: int, conf: ExecutionConf, tasks: int) -> None:
    assert scan_tasks(mib * MIB, conf, cores, files) == tasks


@pytest.mark.parametrize(
    ("written_mib", "partitions", "cores", "conf", "tasks"),
    [
        (6400, 200, 2, DEFAULT, 100),  # 32 MB each: two make 64
        (25600, 200, 2, DEFAULT, 200),  # 128 MB each: never split
        (400, 200, 8, DEFAULT, 8),  # 50 MB for each core
        (400, 200, 8, ExecutionConf(parallelism_first=False), 7),  # 32 of 2 MB make 64, the rest 16
        (150, 200, 4, DEFAULT, 4),  # 50 of 0.75 MB each
        (3.01, 200, 8, DEFAULT, 3),  # 66 make 1 MB, the rest is too small
        (2, 200, 8, DEFAULT, 2),  # 1 MB at least
        (2, 200, 8, ExecutionConf(min_partitions=4), 2),  # even so
        (2, 200, 8, ExecutionConf(min_partitions=4, min_partition_bytes=0), 4),
        (0, 200, 8, DEFAULT, 1),
        (400, 200, 8, ExecutionConf(coalesces=False), 200),
        (400, 200, 8, ExecutionConf(adaptive=False), 200),
    ],
)
def test_tasks_that_read_a_shuffle(
    written_mib: float, partitions: int, cores: int, conf: ExecutionConf, tasks: int
) -> None:
    data_bytes = written_mib * MIB / WRITTEN_SHARE
    assert shuffle_tasks([data_bytes / 2, data_bytes / 2], partitions, 64 * MIB, conf, cores) == tasks


def test_a_sort_merge_join_reads_what_two_stages_wrote() -> None:
    left, right, join = what_if(LARGE, CHAIN).order((0, 1)).stages
    assert (left.relations, left.inputs, right.relations, right.inputs) == (0b01, (), 0b10, ())
    assert (join.relations, join.inputs, join.rows, join.bytes) == (0b11, (0, 1), 2e6, 200 * MB)


def test_a_join_on_the_same_key_runs_in_the_stage_of_the_one_before() -> None:
    assert len(what_if(LARGE, SAME_KEY).order(((0, 1), 2)).stages) == 4
    assert len(what_if(LARGE, CHAIN).order(((0, 1), 2)).stages) == 5


def test_a_broadcast_is_a_stage_and_the_join_part_of_the_scan_it_probes() -> None:
    sizes = {**LARGE, 0b010: Size(1000, 8000)}
    build, probe = what_if(sizes, CHAIN, SelectionConf()).order((0, 1)).stages
    assert (build.relations, build.inputs, probe.relations, probe.inputs) == (0b10, (), 0b11, (0,))
    assert build.driver_seconds > 0
    assert probe.driver_seconds == 0


def test_a_scan_reads_its_files_and_all_their_rows() -> None:
    table = GraphRelation("0", ("t0",), RelationKind.SCAN, rows=10, scanned_rows=500, file_bytes=256 * MIB)
    first, *_ = what_if(LARGE, CHAIN, special={0: table}).order((0, 1)).stages
    assert (first.rows, first.bytes, first.tasks) == (500, 256 * MIB, 4)


def test_what_is_no_scan_comes_out_of_a_shuffle() -> None:
    grouped = GraphRelation("0", ("t0",), RelationKind.AGGREGATE)
    sizes = {**LARGE, 0b001: Size(1e6, 3 * MIB / WRITTEN_SHARE)}
    first, *_ = what_if(sizes, CHAIN, special={0: grouped}).order((0, 1)).stages
    assert first.tasks == 3


def test_a_product_has_a_task_for_each_pair_of_partitions() -> None:
    table = {i: GraphRelation(str(i), (f"t{i}",), RelationKind.SCAN, file_bytes=256 * MIB) for i in (0, 2)}
    (product,) = what_if(LARGE, CHAIN, special=table).order((0, 2)).stages
    assert product.tasks == 16


def test_core_seconds_of_stages_are_those_of_joins_and_of_starting_tasks_and_writing_segments() -> None:
    sizes = {**LARGE, 0b01: Size(1e6, 4 * MB), 0b10: Size(1e6, 4 * MB)}
    costs = UnitCosts(task=1e9, shuffle_segment=1e6)
    order = what_if(sizes, CHAIN, costs=costs).order((0, 1))
    tasks = [stage.tasks for stage in order.stages]
    starting = sum(tasks) * 1.0 + (tasks[0] + tasks[1]) * 200 * 1e-3
    assert sum(stage.core_seconds for stage in order.stages) == pytest.approx(order.core_seconds + starting)


def test_a_build_side_of_several_relations_is_a_stage_of_joins() -> None:
    given = Given({0b111: GivenJoin(Strategy.BROADCAST_HASH, BuildSide.RIGHT)})
    stages = what_if(LARGE, CHAIN).order((0, (1, 2)), given).stages
    assert [(stage.relations, stage.inputs) for stage in stages] == [
        (0b010, ()),
        (0b100, ()),
        (0b110, (0, 1)),
        (0b111, (2,)),
    ]


def test_the_conf_is_read_from_properties() -> None:
    properties = {
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
        "spark.sql.adaptive.coalescePartitions.minPartitionSize": "2m",
        "spark.sql.adaptive.coalescePartitions.minPartitionNum": "7",
        "spark.sql.files.maxPartitionBytes": "64m",
        "spark.sql.files.openCostInBytes": "1m",
        "spark.sql.files.minPartitionNum": "3",
        "spark.sql.requireAllClusterKeysForCoPartition": "false",
        "spark.sql.execution.broadcastHashJoin.outputPartitioningExpandLimit": "0",
        "spark.sql.exchange.reuse": "false",
    }
    assert read_execution_conf(properties, "3.5.0") == ExecutionConf(
        parallelism_first=False,
        min_partition_bytes=2 * MIB,
        min_partitions=7,
        max_split_bytes=64 * MIB,
        open_cost_bytes=MIB,
        min_splits=3,
        requires_all_keys=False,
        expand_limit=0,
        reuses_exchanges=False,
    )
    assert read_execution_conf({}, "4.3.0") == ExecutionConf()
    before = read_execution_conf({}, "3.1.3")
    assert (before.adaptive, before.min_partition_bytes) == (False, 0)


def test_products_of_anything_have_a_price() -> None:
    sizes = {1 << i: Size(1e300, float("inf")) for i in range(3)}
    order = what_if(sizes, []).order(((0, 1), 2))
    assert order.stages[-1].tasks == (1 << 31) - 1
    assert order.seconds(CLUSTER) == float("inf")
