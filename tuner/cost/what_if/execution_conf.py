"""The properties that decide about exchanges and about the tasks of stages, with Spark's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.spark import knobs
from tuner.spark.settings import Settings
from tuner.spark.version import read_version


@dataclass(frozen=True, slots=True)
class ExecutionConf:
    """Properties of SQLConf, under names of our own; sizes in bytes."""

    adaptive: bool = knobs.ADAPTIVE.default
    coalesces: bool = knobs.COALESCE_PARTITIONS.default
    parallelism_first: bool = knobs.COALESCE_PARALLELISM_FIRST.default
    min_partition_bytes: int = knobs.COALESCE_MIN_PARTITION_SIZE.default
    min_partitions: int | None = knobs.COALESCE_MIN_PARTITIONS.default
    max_split_bytes: int = knobs.FILES_MAX_PARTITION_BYTES.default
    open_cost_bytes: int = knobs.FILES_OPEN_COST.default
    min_splits: int | None = knobs.FILES_MIN_PARTITIONS.default
    requires_all_keys: bool = knobs.REQUIRE_ALL_CLUSTER_KEYS.default
    expand_limit: int = knobs.BROADCAST_PARTITIONING_LIMIT.default
    reuses_exchanges: bool = knobs.EXCHANGE_REUSE.default


SPARKS_DEFAULTS = ExecutionConf()


def read_execution_conf(properties: Mapping[str, str], spark_version: str = "") -> ExecutionConf:
    """The conf of an application by its properties; what is unset or unreadable is Spark's default."""
    settings = Settings(properties, read_version(spark_version))
    return ExecutionConf(
        adaptive=settings[knobs.ADAPTIVE],
        coalesces=settings[knobs.COALESCE_PARTITIONS],
        parallelism_first=settings[knobs.COALESCE_PARALLELISM_FIRST],
        min_partition_bytes=settings[knobs.COALESCE_MIN_PARTITION_SIZE],
        min_partitions=settings[knobs.COALESCE_MIN_PARTITIONS],
        max_split_bytes=settings[knobs.FILES_MAX_PARTITION_BYTES],
        open_cost_bytes=settings[knobs.FILES_OPEN_COST],
        min_splits=settings[knobs.FILES_MIN_PARTITIONS],
        requires_all_keys=settings[knobs.REQUIRE_ALL_CLUSTER_KEYS],
        expand_limit=settings[knobs.BROADCAST_PARTITIONING_LIMIT],
        reuses_exchanges=settings[knobs.EXCHANGE_REUSE],
    )
