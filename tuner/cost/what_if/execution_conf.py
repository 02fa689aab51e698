"""The properties that decide about exchanges and about the tasks of stages, with Spark's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.spark.join_selection.selection_conf import ADAPTIVE_BY_DEFAULT, SqlProperties, read_version


@dataclass(frozen=True, slots=True)
class ExecutionConf:
    """Properties of SQLConf, under names of our own; sizes in bytes."""

    adaptive: bool = True
    coalesces: bool = True
    parallelism_first: bool = True
    min_partition_bytes: int = 1 << 20
    min_partitions: int | None = None
    max_split_bytes: int = 128 << 20
    open_cost_bytes: int = 4 << 20
    min_splits: int | None = None
    requires_all_keys: bool = True
    expand_limit: int = 8
    reuses_exchanges: bool = True


SPARKS_DEFAULTS = ExecutionConf()


def read_execution_conf(properties: Mapping[str, str], spark_version: str = "") -> ExecutionConf:
    """The conf of an application by its properties; what is unset or unreadable is Spark's default."""
    conf, default = SqlProperties(properties), SPARKS_DEFAULTS
    coalesce, broadcast = "adaptive.coalescePartitions", "execution.broadcastHashJoin"
    return ExecutionConf(
        adaptive=conf.flag("adaptive.enabled", read_version(spark_version) >= ADAPTIVE_BY_DEFAULT),
        coalesces=conf.flag(f"{coalesce}.enabled", default.coalesces),
        parallelism_first=conf.flag(f"{coalesce}.parallelismFirst", default.parallelism_first),
        min_partition_bytes=conf.bytes(f"{coalesce}.minPartitionSize", default.min_partition_bytes),
        min_partitions=_count(conf, f"{coalesce}.minPartitionNum"),
        max_split_bytes=conf.bytes("files.maxPartitionBytes", default.max_split_bytes),
        open_cost_bytes=conf.bytes("files.openCostInBytes", default.open_cost_bytes),
        min_splits=_count(conf, "files.minPartitionNum"),
        requires_all_keys=conf.flag("requireAllClusterKeysForCoPartition", default.requires_all_keys),
        expand_limit=int(conf.number(f"{broadcast}.outputPartitioningExpandLimit", default.expand_limit)),
        reuses_exchanges=conf.flag("exchange.reuse", default.reuses_exchanges),
    )


def _count(conf: SqlProperties, name: str) -> int | None:
    return int(conf.number(name, 0)) or None
