"""How many tasks AQE makes of shuffles, as ShufflePartitionsUtil counts them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.read_together import read_together
from tuner.model.cluster import Cluster
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import Strategy
from tuner.spark.knobs import (
    COALESCE_MIN_PARTITION_SIZE,
    COALESCE_MIN_PARTITIONS,
    COALESCE_PARALLELISM_FIRST,
    COALESCE_PARTITIONS,
    DEFAULT_PARALLELISM,
)
from tuner.units import MIB

CORES = 80
CLUSTER = Cluster(cores=CORES, executors=20, cores_per_executor=4)


def shuffle(written: int, data: int = 1) -> ShuffleExchange:
    return ShuffleExchange(200, data, written, 1000, 100, adjustable=True)


@pytest.mark.parametrize(
    ("written", "conf", "tasks"),
    [
        ([64 * MIB * 150], {}, 150),
        ([64 * MIB * 150] * 2, {}, 200),
        ([64 * MIB * 50] * 2, {}, 100),
        # Each core has a task, but none of less than a mebibyte.
        ([800 * MIB], {}, CORES),
        ([40 * MIB], {}, 40),
        ([40 * MIB], {COALESCE_MIN_PARTITION_SIZE.property: "4m"}, 10),
        ([800 * MIB], {DEFAULT_PARALLELISM.property: "160"}, 160),
        ([800 * MIB], {COALESCE_PARALLELISM_FIRST.property: "false"}, 13),
        ([800 * MIB], {COALESCE_PARALLELISM_FIRST.property: "false", DEFAULT_PARALLELISM.property: "160"}, 13),
        ([800 * MIB], {COALESCE_MIN_PARTITIONS.property: "20", DEFAULT_PARALLELISM.property: "160"}, 20),
        ([40 * MIB], {COALESCE_MIN_PARTITIONS.property: "120"}, 40),
        ([40 * MIB], {COALESCE_MIN_PARTITIONS.property: "120", COALESCE_MIN_PARTITION_SIZE.property: "1k"}, 120),
        ([40 * MIB], {COALESCE_PARTITIONS.property: "false"}, 200),
        ([0], {}, 1),
    ],
)
def test_tasks_are_filled_up_to_what_gives_each_core_one(written: list[int], conf: dict[str, str], tasks: int) -> None:
    coalescing = Coalescing.of(facts(cluster=CLUSTER, conf=conf))
    assert coalescing.tasks([shuffle(size) for size in written], 200) == tasks


def test_of_bytes_that_are_not_told_none_are_joined() -> None:
    coalescing = Coalescing.of(facts(cluster=CLUSTER))
    assert coalescing.tasks([shuffle(MIB), replace(shuffle(MIB), written_bytes=None)], 200) == 200


def joined(strategy: Strategy = Strategy.SORT_MERGE) -> Query:
    join = inner(side("sales", shuffle_bytes=7), side("items", shuffle_bytes=8), strategy=strategy)
    return query(join, shuffles=(shuffle(1, 7), shuffle(2, 8), shuffle(3, 9)))


def test_the_sides_of_a_join_are_read_together() -> None:
    of = joined()
    sales, items, other = of.shuffles
    assert read_together(of, of.shuffles) == [(sales, items), (other,)]
    assert read_together(of, of.shuffles[1:]) == [(items,), (other,)]
    assert len(read_together(joined(Strategy.BROADCAST_HASH), of.shuffles)) == 3
    apart = replace(of, shuffles=(replace(sales, partitions=64), items, other))
    assert len(read_together(apart, apart.shuffles)) == 3
