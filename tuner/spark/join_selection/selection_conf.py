"""The properties that join selection reads, with the defaults and the history of the Spark version at hand."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tuner.units import parse_bytes

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")

Version = tuple[int, int, int]

NEWEST: Version = (4, 3, 0)

# The first releases with a behaviour. Where no issue is named, the releases' own classes were compared.
NULL_AWARE_ANTI_JOIN = (3, 1, 0)  # SPARK-32290
FULL_OUTER_SHUFFLED_HASH = (3, 1, 0)  # SPARK-32399
ADAPTIVE_BY_DEFAULT = (3, 2, 0)  # SPARK-33679
ADAPTIVE_THRESHOLD = (3, 2, 0)  # SPARK-35264
PREFER_SHUFFLED_HASH = (3, 2, 0)  # SPARK-35282: DynamicJoinSelection instead of DemoteBroadcastHashJoin
SHUFFLED_HASH_FACTOR = (3, 3, 0)  # SPARK-36898
DEMOTION_BY_TYPE = (3, 3, 0)  # DynamicJoinSelection: outer and anti joins look at the other side
OUTER_SHUFFLED_HASH_BOTH_SIDES = (3, 5, 0)  # SPARK-36612
NULL_AWARE_THRESHOLD = (4, 2, 1)
CONVERTED_SORT_MERGE = (4, 3, 0)  # ConvertSortMergeJoinToShuffledHashJoin instead of DynamicJoinSelection


@dataclass(frozen=True, slots=True)
class SelectionConf:
    """What Spark compares sizes with; the defaults are Spark's. A threshold below 0 broadcasts nothing."""

    version: Version = NEWEST
    broadcast_bytes: int = 10 << 20
    adaptive_broadcast_bytes: int | None = None
    prefer_sort_merge: bool = True
    shuffled_hash_factor: int = 3
    shuffle_partitions: int = 200
    local_map_bytes: int = 0
    advisory_partition_bytes: int = 64 << 20
    non_empty_ratio: float = 0.2
    null_aware_anti_join: bool = True
    null_aware_broadcast_bytes: int = -1
    convert_sort_merge: bool = True
    adaptive: bool = True

    def has(self, since: Version) -> bool:
        return self.version >= since

    def threshold(self, *, measured: bool) -> int:
        """What an estimate, or what a stage measured, may have at most to be broadcast."""
        if measured and self.adaptive_broadcast_bytes is not None and self.has(ADAPTIVE_THRESHOLD):
            return self.adaptive_broadcast_bytes
        return self.broadcast_bytes

    @property
    def hints_to_hash(self) -> bool:
        """Whether AQE asks for a shuffled hash join by a hint; later it converts the finished sort merge join."""
        return self.has(PREFER_SHUFFLED_HASH) and not self.has(CONVERTED_SORT_MERGE)

    @property
    def converts_sort_merge(self) -> bool:
        return self.has(CONVERTED_SORT_MERGE) and self.convert_sort_merge

    @property
    def factor(self) -> int:
        """How many times smaller than the other a side must be to be hashed."""
        return self.shuffled_hash_factor if self.has(SHUFFLED_HASH_FACTOR) else 3

    @property
    def hashed_bytes(self) -> int:
        """A side must have fewer bytes to be hashed: threshold times partitions, as Java's long overflows."""
        product = self.broadcast_bytes * self.shuffle_partitions
        return (product + (1 << 63)) % (1 << 64) - (1 << 63)


def read_conf(properties: Mapping[str, str], spark_version: str = "") -> SelectionConf:
    """The conf of an application by its properties; what is unset or unreadable is Spark's default."""
    conf = SqlProperties(properties)
    default = SelectionConf(version=read_version(spark_version))
    adaptive = conf.flag("adaptive.enabled", default.has(ADAPTIVE_BY_DEFAULT))
    return SelectionConf(
        version=default.version,
        broadcast_bytes=conf.bytes("autoBroadcastJoinThreshold", default.broadcast_bytes),
        adaptive_broadcast_bytes=conf.size("adaptive.autoBroadcastJoinThreshold"),
        prefer_sort_merge=conf.flag("join.preferSortMergeJoin", default.prefer_sort_merge),
        shuffled_hash_factor=int(conf.number("shuffledHashJoinFactor", default.shuffled_hash_factor)),
        shuffle_partitions=_shuffle_partitions(conf, default, adaptive=adaptive),
        local_map_bytes=conf.bytes("adaptive.maxShuffledHashJoinLocalMapThreshold", default.local_map_bytes),
        advisory_partition_bytes=_advisory_bytes(conf, default.advisory_partition_bytes),
        non_empty_ratio=conf.number("adaptive.nonEmptyPartitionRatioForBroadcastJoin", default.non_empty_ratio),
        null_aware_anti_join=conf.flag("optimizeNullAwareAntiJoin", default.null_aware_anti_join),
        null_aware_broadcast_bytes=conf.bytes(
            "optimizeNullAwareAntiJoin.broadcastThreshold", default.null_aware_broadcast_bytes
        ),
        convert_sort_merge=conf.flag(
            "adaptive.convertSortMergeJoinToShuffledHashJoin.enabled", default.convert_sort_merge
        ),
        adaptive=adaptive,
    )


def read_version(text: str) -> Version:
    """Major, minor and patch version; the newest one known where the text tells none."""
    return parse_version(text) or NEWEST


def parse_version(text: str) -> Version | None:
    """Major, minor and patch version, whatever follows; None where the text tells none."""
    match = _VERSION.match(text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def major_minor(text: str) -> tuple[int, int]:
    """Major and minor version; (0, 0) where the text tells none."""
    version = parse_version(text)
    return version[:2] if version else (0, 0)


def _shuffle_partitions(conf: SqlProperties, default: SelectionConf, *, adaptive: bool) -> int:
    """SQLConf.numShufflePartitions: AQE has a number of its own to start from, where it may coalesce."""
    partitions = conf.number("shuffle.partitions", default.shuffle_partitions)
    if adaptive and conf.flag("adaptive.coalescePartitions.enabled", True):
        partitions = conf.number("adaptive.coalescePartitions.initialPartitionNum", partitions)
    return int(partitions)


def _advisory_bytes(conf: SqlProperties, default: int) -> int:
    older = conf.bytes("adaptive.shuffle.targetPostShuffleInputSize", default)
    return conf.bytes("adaptive.advisoryPartitionSizeInBytes", older)


@dataclass(frozen=True, slots=True)
class SqlProperties:
    """Values of `spark.sql.` properties by the rest of their name."""

    properties: Mapping[str, str]

    def size(self, name: str) -> int | None:
        value = self.properties.get(f"spark.sql.{name}")
        return None if value is None else parse_bytes(value)

    def bytes(self, name: str, default: int) -> int:
        size = self.size(name)
        return default if size is None else size

    def flag(self, name: str, default: bool) -> bool:
        return self.properties.get(f"spark.sql.{name}", str(default)).strip().lower() == "true"

    def number(self, name: str, default: float) -> float:
        try:
            value = float(self.properties.get(f"spark.sql.{name}", default))
        except ValueError:
            return default
        return value if math.isfinite(value) else default
