"""Caps of broadcasts from the memory of driver and executors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.spark.memory import (
    MAX_BROADCAST_BYTES,
    MAX_BROADCAST_ROWS,
    broadcast_cap,
    hash_map_cap,
    relation_bytes,
    task_relation_cap,
)

GIB = 1 << 30
MIB = 1 << 20


def test_the_cap_is_a_share_of_unified_memory() -> None:
    """UnifiedMemoryManager: (heap - 300 MiB) * spark.memory.fraction; a tenth for one relation, a fifth for a query."""
    cap = broadcast_cap(2 * GIB, 4 * GIB)
    unified = (2 * GIB - (300 << 20)) * 0.6
    assert (cap.one_bytes, cap.query_bytes) == (int(unified * 0.1), int(unified * 0.2))


def test_the_smaller_heap_counts_and_unknown_means_sparks_default() -> None:
    assert broadcast_cap(8 * GIB, GIB) == broadcast_cap(GIB, 8 * GIB) == broadcast_cap(0, 8 * GIB)


def test_a_heap_below_the_reserve_takes_no_broadcast() -> None:
    assert broadcast_cap(200 << 20, 8 * GIB).one_bytes == 0


def test_no_cap_is_above_what_spark_takes() -> None:
    cap = broadcast_cap(1 << 50, 1 << 50, max_result_bytes=0)
    assert cap.query_bytes == MAX_BROADCAST_BYTES == 8 * GIB
    # A map that has filled a page of 4 GiB takes one of 8 (LongToUnsafeRowMap.grow).
    assert cap.one_bytes == 4 * GIB
    assert MAX_BROADCAST_ROWS == 357_913_941  # BytesToBytesMap.MAX_CAPACITY / 1.5


@pytest.mark.parametrize(
    ("most", "expected"), [(2 * GIB, GIB), (100 * MIB, 36 * MIB), (64 * MIB, 0), (10 * MIB, 0), (0, 0)]
)
def test_no_relation_comes_near_a_limit_of_the_users(most: int, expected: int) -> None:
    """Spark counts its pages whole, of 64 MiB at most, and makes the query fail (spark.sql.maxBroadcastTableSize)."""
    cap = broadcast_cap(64 * GIB, 64 * GIB, max_result_bytes=0, max_table_bytes=most)
    assert cap.one_bytes == expected
    assert cap.query_bytes == broadcast_cap(64 * GIB, 64 * GIB, max_result_bytes=0).query_bytes


@given(st.integers(0, 1 << 50), st.integers(0, 1 << 50), st.floats(0.01, 1))
def test_caps_are_ordered_and_fit_the_heap(driver: int, executor: int, fraction: float) -> None:
    cap = broadcast_cap(driver, executor, fraction)
    assert 0 <= cap.one_bytes <= cap.query_bytes <= min(driver or GIB, executor or GIB)


def test_a_hash_relation_is_as_large_as_spark_measured_it_up_to_a_page() -> None:
    """ "data size" of BroadcastExchange, Spark 4.3 local[2] with 3 GiB (pages of 32 MiB), TPC-DS at SF1."""
    page = 32 << 20
    for rows, data, measured in ((1_430_861, 57_234_440, 201_326_528), (198_263, 14_274_936, 41_943_024)):
        assert relation_bytes(rows, data) <= measured <= relation_bytes(rows, data) + page


def test_a_relation_of_nothing_takes_nothing() -> None:
    assert relation_bytes(0, 0) == 0


@pytest.mark.parametrize(
    ("memory", "cores", "expected"),
    [(4 * GIB, 2, 189), (GIB, 4, 18), (0, 4, 18), (300 << 20, 1, 0), (4 * GIB, 0, 379)],
)
def test_the_memory_of_a_task(memory: int, cores: int, expected: int) -> None:
    assert task_relation_cap(memory, cores) >> 20 == expected


def test_memory_off_the_heap_counts_where_it_is_less_for_a_relation_may_be_there() -> None:
    """Execution memory off the heap, of which storage keeps its half: a third of what each of four tasks gets."""
    on_heap = task_relation_cap(16 * GIB, 4)
    assert task_relation_cap(16 * GIB, 4, off_heap_bytes=GIB) == int(GIB * 0.5 / 4 / 3) < on_heap
    assert task_relation_cap(16 * GIB, 4, off_heap_bytes=64 * GIB) == on_heap


def test_where_memory_off_the_heap_is_enabled_tasks_sort_and_aggregate_there() -> None:
    assert hash_map_cap(16 * GIB, 4) == int((16 * GIB - 300 * MIB) * 0.6 / 8)
    assert hash_map_cap(16 * GIB, 4, off_heap_bytes=GIB) == GIB // 8
    assert hash_map_cap(2 * GIB, 4, off_heap_bytes=40 * GIB) == 5 * GIB


def test_no_broadcast_is_larger_than_what_the_driver_may_collect() -> None:
    """The driver collects it as it does a result: a larger one makes the job fail."""
    assert broadcast_cap(64 * GIB, 64 * GIB).one_bytes == GIB
    assert broadcast_cap(64 * GIB, 64 * GIB, max_result_bytes=2 * GIB).query_bytes == 2 * GIB
    assert broadcast_cap(64 * GIB, 64 * GIB, max_result_bytes=0).one_bytes > 3 * GIB
