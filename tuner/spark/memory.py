"""How large hash relations may become: a broadcast's against driver and executors, a task's against its own share."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.spark.knobs import (
    DRIVER_MAX_RESULT_SIZE,
    DRIVER_MEMORY,
    EXECUTOR_MEMORY,
    MAX_BROADCAST_TABLE_SIZE,
    MEMORY_FRACTION,
    MEMORY_STORAGE_FRACTION,
)

RESERVED_BYTES = 300 << 20  # UnifiedMemoryManager.RESERVED_SYSTEM_MEMORY_BYTES

# BroadcastExchangeExec.MAX_BROADCAST_TABLE_BYTES and maxBroadcastRows (BytesToBytesMap.MAX_CAPACITY / 1.5).
MAX_BROADCAST_BYTES = MAX_BROADCAST_TABLE_SIZE.default
MAX_BROADCAST_ROWS = int((1 << 29) / 1.5)
# The largest page of a map (MemoryManager.pageSizeBytes), which Spark counts whole, however few rows are in it.
PAGE_BYTES = 64 << 20

# A relation is collected, built, serialised and cached: several copies live at once on the driver, beside those of
# other broadcasts of the query and the tasks' own memory. One relation may take a tenth, a query's new ones together
# a fifth.
SHARE_OF_ONE = 0.10
SHARE_OF_QUERY = 0.20

# A shuffled hash join's relation cannot spill (SparkOutOfMemoryError, "Can't acquire … to build hash relation"): when a
# page of LongToUnsafeRowMap is full its rows are copied into one twice as large while the old one lives. What is advised
# rests on sizes of past runs; the agent counts those of the run itself, and so lets a relation have more, half at most
# (MOST_SHARE_OF_TASK of Heap.java).
ADVISED_SHARE_OF_TASK = 1 / 3
# Objects of aggregates (collect_set, percentile, a UDAF) lie on the heap where Spark does not count them, in what
# spark.memory.fraction leaves to users: the tasks of an executor may fill half of that with them.
SHARE_OF_OBJECTS = 0.5
# Beside its buffer, a key takes an entry of ObjectAggregationMap (a LinkedHashMap), a copy of its row and a row of
# objects.
OBJECT_BYTES_PER_KEY = 400
# Bytes of a buffer of objects for each byte of it serialised: collect_set of longs keeps a boxed number (24) and an
# entry of a hash set (32 and its slot) for each 8 bytes.
OBJECT_BYTES_PER_BYTE = 10

# BytesToBytesMap keeps beside a row's bytes its lengths and link (16) and its key once more (an UnsafeRow of two columns
# takes 24), and a 16-byte slot for each key in an array of a power of two that is at most half full.
MAP_BYTES_PER_ROW = 40
MAP_BYTES_PER_SLOT = 16


@dataclass(frozen=True, slots=True)
class BroadcastCap:
    """The most bytes of hash relation for one join, and for all new ones of a query."""

    one_bytes: int
    query_bytes: int


def broadcast_cap(
    driver_memory_bytes: int,
    executor_memory_bytes: int,
    memory_fraction: float = MEMORY_FRACTION.default,
    max_result_bytes: int = DRIVER_MAX_RESULT_SIZE.default,
    max_table_bytes: int = MAX_BROADCAST_BYTES,
) -> BroadcastCap:
    """The cap for the smaller heap of driver and executors; 0 for a heap means Spark's default of 1 GiB.

    The driver collects a broadcast as it does a result, of which spark.driver.maxResultSize (0: none) is the most. Of a relation
    of `max_table_bytes` or more, its last page whole, Spark makes the query fail.
    """
    heap = min(driver_memory_bytes or DRIVER_MEMORY.default, executor_memory_bytes or EXECUTOR_MEMORY.default)
    unified = max(0.0, (heap - RESERVED_BYTES) * memory_fraction)
    most = min(MAX_BROADCAST_BYTES, max_result_bytes or MAX_BROADCAST_BYTES)
    return BroadcastCap(
        one_bytes=min(int(unified * SHARE_OF_ONE), most, _most_counted(max_table_bytes)),
        query_bytes=min(int(unified * SHARE_OF_QUERY), most),
    )


def _most_counted(table_bytes: int) -> int:
    """The most bytes of a relation of which Spark counts so many at most: LongToUnsafeRowMap doubles its page, BytesToBytesMap
    takes another one."""
    return max(0, min(table_bytes // 2, table_bytes - PAGE_BYTES))


def task_relation_cap(
    executor_memory_bytes: int,
    cores_per_executor: int,
    memory_fraction: float = MEMORY_FRACTION.default,
    storage_fraction: float = MEMORY_STORAGE_FRACTION.default,
    off_heap_bytes: int = 0,
) -> int:
    """The most bytes of hash relation advised for one task of a shuffled hash join; 0 for a heap means Spark's default of 1 GiB.

    Storage keeps its fraction from eviction, and each of N running tasks is granted at most 1/N of the rest
    (UnifiedMemoryManager, ExecutionMemoryPool). Where memory off the heap is enabled, relations are there, but those whose keys
    fit a long (LongToUnsafeRowMap): which of them a join has no log tells, so the smaller counts.
    """
    unified = max(0.0, ((executor_memory_bytes or EXECUTOR_MEMORY.default) - RESERVED_BYTES) * memory_fraction)
    if off_heap_bytes:
        unified = min(unified, off_heap_bytes)
    return int(unified * (1 - storage_fraction) / max(1, cores_per_executor) * ADVISED_SHARE_OF_TASK)


def relation_bytes(rows: int, data_bytes: int) -> int:
    """Bytes of the hash relation built of `rows` that take `data_bytes` as UnsafeRows (an exchange's "data size").

    Up to the last page (64 MiB at most), which is left out. Measured on Spark 4.3, TPC-DS at SF1, two-column keys:
    catalog_sales (1,430,861 rows, 57.2 MB) 201 MB, here 182 MB; query 25's store sales and returns (198,263 rows,
    14.3 MB) 41.9 MB, here 30.6 MB.
    """
    slots = 1 << (2 * rows - 1).bit_length() if rows else 0
    return data_bytes + MAP_BYTES_PER_ROW * rows + MAP_BYTES_PER_SLOT * slots


def object_bytes(keys: int, buffer_bytes: float) -> int:
    """Bytes on the heap of an ObjectAggregationMap of so many keys, each with a buffer of `buffer_bytes` serialised."""
    return int(keys * (OBJECT_BYTES_PER_KEY + OBJECT_BYTES_PER_BYTE * buffer_bytes))


def object_cap(
    executor_memory_bytes: int, cores_per_executor: int, memory_fraction: float = MEMORY_FRACTION.default
) -> int:
    """The most bytes of aggregates' objects that one task may hold; 0 for a heap means Spark's default of 1 GiB."""
    free = max(0, (executor_memory_bytes or EXECUTOR_MEMORY.default) - RESERVED_BYTES)
    return int(free * (1 - memory_fraction) * SHARE_OF_OBJECTS / max(1, cores_per_executor))


def hash_map_cap(
    executor_memory_bytes: int,
    cores_per_executor: int,
    memory_fraction: float = MEMORY_FRACTION.default,
    off_heap_bytes: int = 0,
) -> int:
    """Bytes of execution memory that a task gets for certain: of N tasks each gets at least 1/2N (ExecutionMemoryPool).

    Where memory off the heap is enabled, tasks sort and aggregate there (TaskMemoryManager.tungstenMemoryMode).
    """
    free = max(0, (executor_memory_bytes or EXECUTOR_MEMORY.default) - RESERVED_BYTES)
    execution = off_heap_bytes or free * memory_fraction
    return int(execution / (2 * max(1, cores_per_executor)))
