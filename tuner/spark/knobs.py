"""Spark's properties that the tuner reads or sets: the one list of them.

Sources, defaults and versions are those of Spark 4.3.0: entries of `SQLConf` for what begins with `spark.sql.`, else of
`org.apache.spark.internal.config`. What an earlier release had otherwise is told with the issue that changed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tuner.model.change import Risk
from tuner.spark.knob import Knob, Range, Unit
from tuner.spark.lever import Lever
from tuner.units import GIB, MIB

_FLAG, _BYTES, _MEBIBYTES, _SECONDS, _MILLISECONDS, _COUNT, _RATIO, _SHARE, _NAME = Unit
_BOTH = Range(0, 1)


# How much an application has to run with.
DRIVER_CORES = Knob("spark.driver.cores", _COUNT, 1, (1, 3, 0), "DRIVER_CORES")
DRIVER_MEMORY = Knob("spark.driver.memory", _MEBIBYTES, 1 * GIB, (1, 1, 1), "DRIVER_MEMORY")
DRIVER_MEMORY_OVERHEAD: Knob[int | None] = Knob(
    "spark.driver.memoryOverhead", _MEBIBYTES, None, (2, 3, 0), "DRIVER_MEMORY_OVERHEAD"
)
DRIVER_MEMORY_OVERHEAD_FACTOR = Knob(
    "spark.driver.memoryOverheadFactor", _RATIO, 0.1, (3, 3, 0), "DRIVER_MEMORY_OVERHEAD_FACTOR"
)
# 384 MiB before it could be set.
DRIVER_MIN_MEMORY_OVERHEAD = Knob(
    "spark.driver.minMemoryOverhead", _MEBIBYTES, 384 * MIB, (4, 0, 0), "DRIVER_MIN_MEMORY_OVERHEAD"
)
DRIVER_MAX_RESULT_SIZE = Knob("spark.driver.maxResultSize", _BYTES, 1 * GIB, (1, 2, 0), "MAX_RESULT_SIZE")
CORES_MAX: Knob[int | None] = Knob("spark.cores.max", _COUNT, None, (0, 6, 0), "CORES_MAX")
EXECUTOR_CORES = Knob("spark.executor.cores", _COUNT, 1, (1, 0, 0), "EXECUTOR_CORES")
EXECUTOR_INSTANCES: Knob[int | None] = Knob("spark.executor.instances", _COUNT, None, (1, 0, 0), "EXECUTOR_INSTANCES")
EXECUTOR_MEMORY = Knob("spark.executor.memory", _MEBIBYTES, 1 * GIB, (0, 7, 0), "EXECUTOR_MEMORY")
EXECUTOR_MEMORY_OVERHEAD: Knob[int | None] = Knob(
    "spark.executor.memoryOverhead", _MEBIBYTES, None, (2, 3, 0), "EXECUTOR_MEMORY_OVERHEAD"
)
EXECUTOR_MEMORY_OVERHEAD_FACTOR = Knob(
    "spark.executor.memoryOverheadFactor", _RATIO, 0.1, (3, 3, 0), "EXECUTOR_MEMORY_OVERHEAD_FACTOR"
)
# Of org.apache.spark.deploy.k8s.Config: counts on Kubernetes where that of the driver or of executors is not set.
KUBERNETES_MEMORY_OVERHEAD_FACTOR = Knob(
    "spark.kubernetes.memoryOverheadFactor", _RATIO, 0.1, (2, 4, 0), "MEMORY_OVERHEAD_FACTOR"
)
# 384 MiB before it could be set (ResourceProfile.MEMORY_OVERHEAD_MIN_MIB).
EXECUTOR_MIN_MEMORY_OVERHEAD = Knob(
    "spark.executor.minMemoryOverhead", _MEBIBYTES, 384 * MIB, (4, 0, 0), "EXECUTOR_MIN_MEMORY_OVERHEAD"
)
PYSPARK_MEMORY: Knob[int | None] = Knob(
    "spark.executor.pyspark.memory", _MEBIBYTES, None, (2, 4, 0), "PYSPARK_EXECUTOR_MEMORY"
)
OFF_HEAP = Knob("spark.memory.offHeap.enabled", _FLAG, False, (1, 6, 0), "MEMORY_OFFHEAP_ENABLED")
OFF_HEAP_SIZE = Knob("spark.memory.offHeap.size", _BYTES, 0, (1, 6, 0), "MEMORY_OFFHEAP_SIZE")
DYNAMIC_ALLOCATION = Knob("spark.dynamicAllocation.enabled", _FLAG, False, (1, 2, 0), "DYN_ALLOCATION_ENABLED")
DYNAMIC_ALLOCATION_MIN = Knob(
    "spark.dynamicAllocation.minExecutors", _COUNT, 0, (1, 2, 0), "DYN_ALLOCATION_MIN_EXECUTORS"
)
# What is set of it, where that is more than the least.
DYNAMIC_ALLOCATION_INITIAL = Knob(
    "spark.dynamicAllocation.initialExecutors", _COUNT, 0, (1, 3, 0), "DYN_ALLOCATION_INITIAL_EXECUTORS"
)
DYNAMIC_ALLOCATION_MAX = Knob(
    "spark.dynamicAllocation.maxExecutors", _COUNT, (1 << 31) - 1, (1, 2, 0), "DYN_ALLOCATION_MAX_EXECUTORS"
)
MEMORY_FRACTION = Knob("spark.memory.fraction", _SHARE, 0.6, (1, 6, 0), "MEMORY_FRACTION")
MEMORY_STORAGE_FRACTION = Knob("spark.memory.storageFraction", _SHARE, 0.5, (1, 6, 0), "MEMORY_STORAGE_FRACTION")
# 0: with every heartbeat.
EXECUTOR_METRICS_POLLING = Knob(
    "spark.executor.metrics.pollingInterval", _MILLISECONDS, 0, (3, 0, 0), "EXECUTOR_METRICS_POLLING_INTERVAL"
)
EXECUTOR_PROCESS_TREE_METRICS = Knob(
    "spark.executor.processTreeMetrics.enabled", _FLAG, False, (3, 0, 0), "EXECUTOR_PROCESS_TREE_METRICS_ENABLED"
)
TASK_CPUS = Knob("spark.task.cpus", _COUNT, 1, (0, 5, 0), "CPUS_PER_TASK")
DEFAULT_PARALLELISM: Knob[int | None] = Knob(
    "spark.default.parallelism", _COUNT, None, (0, 5, 0), "DEFAULT_PARALLELISM"
)
SERIALIZER = Knob("spark.serializer", _NAME, "org.apache.spark.serializer.JavaSerializer", (0, 5, 0), "SERIALIZER")

# How shuffles are written and partitioned.
SHUFFLE_MANAGER = Knob("spark.shuffle.manager", _NAME, "sort", (1, 1, 0), "SHUFFLE_MANAGER")
BYPASS_MERGE_THRESHOLD = Knob(
    "spark.shuffle.sort.bypassMergeThreshold",
    _COUNT,
    200,
    (1, 1, 1),
    "SHUFFLE_SORT_BYPASS_MERGE_THRESHOLD",
    lever=Lever.SHUFFLE_FILES,
    risk=Risk.LOW,
    range=Range(1, 400),
)
SHUFFLE_PARTITIONS = Knob(
    "spark.sql.shuffle.partitions",
    _COUNT,
    200,
    (1, 1, 0),
    "SHUFFLE_PARTITIONS",
    lever=Lever.PARTITIONS,
    range=Range(4, 400),
)
EXCHANGE_REUSE = Knob("spark.sql.exchange.reuse", _FLAG, True, (2, 0, 0), "EXCHANGE_REUSE_ENABLED")
REQUIRE_ALL_CLUSTER_KEYS = Knob(
    "spark.sql.requireAllClusterKeysForCoPartition", _FLAG, True, (3, 3, 0), "REQUIRE_ALL_CLUSTER_KEYS_FOR_CO_PARTITION"
)

# What adaptive execution does once stages have finished.
# SPARK-33679.
ADAPTIVE = Knob(
    "spark.sql.adaptive.enabled", _FLAG, True, (1, 6, 0), "ADAPTIVE_EXECUTION_ENABLED", changed=((3, 2, 0), False)
)
ADVISORY_PARTITION_SIZE = Knob(
    "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    _BYTES,
    64 * MIB,
    (3, 0, 0),
    "ADVISORY_PARTITION_SIZE_IN_BYTES",
    lever=Lever.PARTITIONS,
    range=Range(4 * MIB, 256 * MIB),
)
TARGET_POST_SHUFFLE_INPUT_SIZE = Knob(
    "spark.sql.adaptive.shuffle.targetPostShuffleInputSize",
    _BYTES,
    64 * MIB,
    (1, 6, 0),
    "SHUFFLE_TARGET_POSTSHUFFLE_INPUT_SIZE",
)
COALESCE_PARTITIONS = Knob(
    "spark.sql.adaptive.coalescePartitions.enabled", _FLAG, True, (3, 0, 0), "COALESCE_PARTITIONS_ENABLED"
)
COALESCE_INITIAL_PARTITIONS: Knob[int | None] = Knob(
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum",
    _COUNT,
    None,
    (3, 0, 0),
    "COALESCE_PARTITIONS_INITIAL_PARTITION_NUM",
    lever=Lever.PARTITIONS,
)
COALESCE_MIN_PARTITIONS: Knob[int | None] = Knob(
    "spark.sql.adaptive.coalescePartitions.minPartitionNum",
    _COUNT,
    None,
    (3, 0, 0),
    "COALESCE_PARTITIONS_MIN_PARTITION_NUM",
)
# Before 3.2 AQE knows no least size.
COALESCE_MIN_PARTITION_SIZE = Knob(
    "spark.sql.adaptive.coalescePartitions.minPartitionSize",
    _BYTES,
    1 * MIB,
    (3, 2, 0),
    "COALESCE_PARTITIONS_MIN_PARTITION_SIZE",
    changed=((3, 2, 0), 0),
)
COALESCE_PARALLELISM_FIRST = Knob(
    "spark.sql.adaptive.coalescePartitions.parallelismFirst",
    _FLAG,
    True,
    (3, 2, 0),
    "COALESCE_PARTITIONS_PARALLELISM_FIRST",
    lever=Lever.PARTITIONS,
)
LOCAL_SHUFFLE_READER = Knob(
    "spark.sql.adaptive.localShuffleReader.enabled", _FLAG, True, (3, 0, 0), "LOCAL_SHUFFLE_READER_ENABLED"
)
SKEW_JOIN = Knob(
    "spark.sql.adaptive.skewJoin.enabled", _FLAG, True, (3, 0, 0), "SKEW_JOIN_ENABLED", lever=Lever.SKEW_SPLITS
)
SKEW_JOIN_FACTOR = Knob(
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor",
    _RATIO,
    5.0,
    (3, 0, 0),
    "SKEW_JOIN_SKEWED_PARTITION_FACTOR",
    lever=Lever.SKEW_SPLITS,
)
SKEW_JOIN_THRESHOLD = Knob(
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes",
    _BYTES,
    256 * MIB,
    (3, 0, 0),
    "SKEW_JOIN_SKEWED_PARTITION_THRESHOLD",
    lever=Lever.SKEW_SPLITS,
)
# SPARK-33832.
FORCE_SKEWED_JOIN = Knob(
    "spark.sql.adaptive.forceOptimizeSkewedJoin",
    _FLAG,
    False,
    (3, 3, 0),
    "ADAPTIVE_FORCE_OPTIMIZE_SKEWED_JOIN",
    lever=Lever.SKEW_SPLITS,
)

# Which joins are broadcast or hashed.
BROADCAST_THRESHOLD = Knob(
    "spark.sql.autoBroadcastJoinThreshold",
    _BYTES,
    10 * MIB,
    (1, 1, 0),
    "AUTO_BROADCASTJOIN_THRESHOLD",
    lever=Lever.BROADCASTS,
    risk=Risk.LOW,
    range=Range(1 * MIB, 512 * MIB),
)
# SPARK-35264; where unset, the other one counts.
ADAPTIVE_BROADCAST_THRESHOLD: Knob[int | None] = Knob(
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
    _BYTES,
    None,
    (3, 2, 0),
    "ADAPTIVE_AUTO_BROADCASTJOIN_THRESHOLD",
    lever=Lever.BROADCASTS,
    risk=Risk.LOW,
    range=Range(1 * MIB, 512 * MIB),
)
# SPARK-51559; 8 GiB before it could be set (BroadcastExchangeExec.MAX_BROADCAST_TABLE_BYTES).
MAX_BROADCAST_TABLE_SIZE = Knob(
    "spark.sql.maxBroadcastTableSize", _BYTES, 8 * GIB, (4, 1, 0), "MAX_BROADCAST_TABLE_SIZE"
)
BROADCAST_TIMEOUT = Knob("spark.sql.broadcastTimeout", _SECONDS, 300, (1, 3, 0), "BROADCAST_TIMEOUT")
BROADCAST_PARTITIONING_LIMIT = Knob(
    "spark.sql.execution.broadcastHashJoin.outputPartitioningExpandLimit",
    _COUNT,
    8,
    (3, 1, 0),
    "BROADCAST_HASH_JOIN_OUTPUT_PARTITIONING_EXPAND_LIMIT",
)
NON_EMPTY_PARTITION_RATIO = Knob(
    "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin",
    _RATIO,
    0.2,
    (3, 0, 0),
    "NON_EMPTY_PARTITION_RATIO_FOR_BROADCAST_JOIN",
)
# SPARK-32290.
NULL_AWARE_ANTI_JOIN = Knob(
    "spark.sql.optimizeNullAwareAntiJoin", _FLAG, True, (3, 1, 0), "OPTIMIZE_NULL_AWARE_ANTI_JOIN"
)
NULL_AWARE_ANTI_JOIN_THRESHOLD = Knob(
    "spark.sql.optimizeNullAwareAntiJoin.broadcastThreshold",
    _BYTES,
    -1,
    (4, 2, 1),
    "NULL_AWARE_ANTI_JOIN_BROADCAST_THRESHOLD",
)
PREFER_SORT_MERGE_JOIN = Knob(
    "spark.sql.join.preferSortMergeJoin",
    _FLAG,
    True,
    (2, 0, 0),
    "PREFER_SORTMERGEJOIN",
    lever=Lever.JOIN_HASH_MAPS,
    range=_BOTH,
)
# SPARK-36898.
SHUFFLED_HASH_JOIN_FACTOR = Knob("spark.sql.shuffledHashJoinFactor", _COUNT, 3, (3, 3, 0), "SHUFFLE_HASH_JOIN_FACTOR")
# SPARK-35282.
LOCAL_MAP_THRESHOLD = Knob(
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold",
    _BYTES,
    0,
    (3, 2, 0),
    "ADAPTIVE_MAX_SHUFFLE_HASH_JOIN_LOCAL_MAP_THRESHOLD",
    lever=Lever.JOIN_HASH_MAPS,
    range=Range(1 * MIB, 256 * MIB),
)
CONVERT_SORT_MERGE_JOIN = Knob(
    "spark.sql.adaptive.convertSortMergeJoinToShuffledHashJoin.enabled",
    _FLAG,
    True,
    (4, 3, 0),
    "ADAPTIVE_CONVERT_SORT_MERGE_JOIN_TO_SHUFFLED_HASH_JOIN_ENABLED",
)

# What the cost-based optimizer does with statistics of tables.
CBO = Knob("spark.sql.cbo.enabled", _FLAG, False, (2, 2, 0), "CBO_ENABLED", lever=Lever.JOIN_ORDERS)
CBO_PLAN_STATISTICS = Knob(
    "spark.sql.cbo.planStats.enabled", _FLAG, False, (3, 0, 0), "PLAN_STATS_ENABLED", lever=Lever.JOIN_ORDERS
)
CBO_STAR_DETECTION = Knob(
    "spark.sql.cbo.starSchemaDetection", _FLAG, False, (2, 2, 0), "STARSCHEMA_DETECTION", lever=Lever.JOIN_ORDERS
)
JOIN_REORDER = Knob(
    "spark.sql.cbo.joinReorder.enabled", _FLAG, False, (2, 2, 0), "JOIN_REORDER_ENABLED", lever=Lever.JOIN_ORDERS
)
JOIN_REORDER_WEIGHT = Knob(
    "spark.sql.cbo.joinReorder.card.weight",
    _SHARE,
    0.7,
    (2, 2, 0),
    "JOIN_REORDER_CARD_WEIGHT",
    lever=Lever.JOIN_ORDERS,
)
JOIN_REORDER_ITEMS = Knob(
    "spark.sql.cbo.joinReorder.dp.threshold",
    _COUNT,
    12,
    (2, 2, 0),
    "JOIN_REORDER_DP_THRESHOLD",
    lever=Lever.JOIN_ORDERS,
)
JOIN_REORDER_STAR_FILTER = Knob(
    "spark.sql.cbo.joinReorder.dp.star.filter",
    _FLAG,
    False,
    (2, 2, 0),
    "JOIN_REORDER_DP_STAR_FILTER",
    lever=Lever.JOIN_ORDERS,
)

# What the optimizer filters at run time.
# SPARK-32268; SPARK-38841.
BLOOM_FILTER = Knob(
    "spark.sql.optimizer.runtime.bloomFilter.enabled",
    _FLAG,
    True,
    (3, 3, 0),
    "RUNTIME_BLOOM_FILTER_ENABLED",
    changed=((3, 4, 0), False),
    lever=Lever.RUNTIME_FILTERS,
    risk=Risk.LOW,
    range=_BOTH,
)
BLOOM_FILTER_APPLICATION_THRESHOLD = Knob(
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold",
    _BYTES,
    10 * GIB,
    (3, 3, 0),
    "RUNTIME_BLOOM_FILTER_APPLICATION_SIDE_SCAN_SIZE_THRESHOLD",
    lever=Lever.RUNTIME_FILTERS,
    risk=Risk.LOW,
)
BLOOM_FILTER_CREATION_THRESHOLD = Knob(
    "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold",
    _BYTES,
    10 * MIB,
    (3, 3, 0),
    "RUNTIME_BLOOM_FILTER_CREATION_SIDE_THRESHOLD",
    lever=Lever.RUNTIME_FILTERS,
)

# How rows are aggregated.
BYPASS_PARTIAL_AGGREGATION = Knob(
    "spark.sql.execution.bypassPartialAggregation",
    _FLAG,
    False,
    (4, 3, 0),
    "BYPASS_PARTIAL_AGGREGATION",
    lever=Lever.PARTIAL_AGGREGATION,
)
OBJECT_HASH_AGGREGATE = Knob(
    "spark.sql.execution.useObjectHashAggregateExec", _FLAG, True, (2, 2, 0), "USE_OBJECT_HASH_AGG"
)
OBJECT_HASH_FALLBACK_THRESHOLD = Knob(
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold",
    _COUNT,
    128,
    (2, 2, 0),
    "OBJECT_AGG_SORT_BASED_FALLBACK_THRESHOLD",
    lever=Lever.AGGREGATE_HASH_MAPS,
)

# How files are read, and expressions evaluated.
FILES_MAX_PARTITION_BYTES = Knob(
    "spark.sql.files.maxPartitionBytes", _BYTES, 128 * MIB, (2, 0, 0), "FILES_MAX_PARTITION_BYTES"
)
FILES_OPEN_COST = Knob("spark.sql.files.openCostInBytes", _BYTES, 4 * MIB, (2, 0, 0), "FILES_OPEN_COST_IN_BYTES")
FILES_MIN_PARTITIONS: Knob[int | None] = Knob(
    "spark.sql.files.minPartitionNum", _COUNT, None, (3, 1, 0), "FILES_MIN_PARTITION_NUM"
)
FILE_COMPRESSION_FACTOR = Knob(
    "spark.sql.sources.fileCompressionFactor", _RATIO, 1.0, (2, 3, 1), "FILE_COMPRESSION_FACTOR"
)
# SPARK-29805.
NESTED_SCHEMA_PRUNING = Knob(
    "spark.sql.optimizer.nestedSchemaPruning.enabled",
    _FLAG,
    True,
    (2, 4, 1),
    "NESTED_SCHEMA_PRUNING_ENABLED",
    changed=((3, 0, 0), False),
)
# SPARK-44444.
ANSI = Knob("spark.sql.ansi.enabled", _FLAG, True, (3, 0, 0), "ANSI_ENABLED", changed=((4, 0, 0), False))

KNOBS: Mapping[str, Knob[Any]] = MappingProxyType(
    {knob.property: knob for knob in tuple(globals().values()) if isinstance(knob, Knob)}
)
