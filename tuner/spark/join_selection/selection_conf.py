"""The properties that join selection reads, with the defaults and the history of the Spark version at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.spark import knobs
from tuner.spark.settings import Settings
from tuner.spark.version import NEWEST, Version, read_version

# The first releases with a behaviour. Where no issue is named, the releases' own classes were compared.
NULL_AWARE_ANTI_JOIN = knobs.NULL_AWARE_ANTI_JOIN.since
FULL_OUTER_SHUFFLED_HASH = (3, 1, 0)  # SPARK-32399
ADAPTIVE_THRESHOLD = knobs.ADAPTIVE_BROADCAST_THRESHOLD.since
PREFER_SHUFFLED_HASH = knobs.LOCAL_MAP_THRESHOLD.since  # DynamicJoinSelection instead of DemoteBroadcastHashJoin
SHUFFLED_HASH_FACTOR = knobs.SHUFFLED_HASH_JOIN_FACTOR.since
DEMOTION_BY_TYPE = (3, 3, 0)  # DynamicJoinSelection: outer and anti joins look at the other side
OUTER_SHUFFLED_HASH_BOTH_SIDES = (3, 5, 0)  # SPARK-36612
NULL_AWARE_THRESHOLD = knobs.NULL_AWARE_ANTI_JOIN_THRESHOLD.since
# ConvertSortMergeJoinToShuffledHashJoin instead of DynamicJoinSelection
CONVERTED_SORT_MERGE = knobs.CONVERT_SORT_MERGE_JOIN.since


@dataclass(frozen=True, slots=True)
class SelectionConf:
    """What Spark compares sizes with; the defaults are Spark's. A threshold below 0 broadcasts nothing."""

    version: Version = NEWEST
    broadcast_bytes: int = knobs.BROADCAST_THRESHOLD.default
    adaptive_broadcast_bytes: int | None = knobs.ADAPTIVE_BROADCAST_THRESHOLD.default
    prefer_sort_merge: bool = knobs.PREFER_SORT_MERGE_JOIN.default
    shuffled_hash_factor: int = knobs.SHUFFLED_HASH_JOIN_FACTOR.default
    shuffle_partitions: int = knobs.SHUFFLE_PARTITIONS.default
    local_map_bytes: int = knobs.LOCAL_MAP_THRESHOLD.default
    advisory_partition_bytes: int = knobs.ADVISORY_PARTITION_SIZE.default
    non_empty_ratio: float = knobs.NON_EMPTY_PARTITION_RATIO.default
    null_aware_anti_join: bool = knobs.NULL_AWARE_ANTI_JOIN.default
    null_aware_broadcast_bytes: int = knobs.NULL_AWARE_ANTI_JOIN_THRESHOLD.default
    convert_sort_merge: bool = knobs.CONVERT_SORT_MERGE_JOIN.default
    adaptive: bool = knobs.ADAPTIVE.default

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
    settings = Settings(properties, read_version(spark_version))
    return SelectionConf(
        version=settings.version,
        broadcast_bytes=settings[knobs.BROADCAST_THRESHOLD],
        adaptive_broadcast_bytes=settings[knobs.ADAPTIVE_BROADCAST_THRESHOLD],
        prefer_sort_merge=settings[knobs.PREFER_SORT_MERGE_JOIN],
        shuffled_hash_factor=settings[knobs.SHUFFLED_HASH_JOIN_FACTOR],
        shuffle_partitions=_shuffle_partitions(settings),
        local_map_bytes=settings[knobs.LOCAL_MAP_THRESHOLD],
        advisory_partition_bytes=advisory_partition_bytes(settings),
        non_empty_ratio=settings[knobs.NON_EMPTY_PARTITION_RATIO],
        null_aware_anti_join=settings[knobs.NULL_AWARE_ANTI_JOIN],
        null_aware_broadcast_bytes=settings[knobs.NULL_AWARE_ANTI_JOIN_THRESHOLD],
        convert_sort_merge=settings[knobs.CONVERT_SORT_MERGE_JOIN],
        adaptive=settings[knobs.ADAPTIVE],
    )


def advisory_partition_bytes(settings: Settings) -> int:
    """What AQE fills a partition up to: an older property counts where this one is unset (SQLConf.fallbackConf)."""
    fallback = knobs.TARGET_POST_SHUFFLE_INPUT_SIZE
    return settings[knobs.ADVISORY_PARTITION_SIZE if knobs.ADVISORY_PARTITION_SIZE in settings else fallback]


def coalesces_partitions(settings: Settings) -> bool:
    """Whether AQE joins small partitions (CoalesceShufflePartitions)."""
    return settings[knobs.ADAPTIVE] and settings[knobs.COALESCE_PARTITIONS]


def _shuffle_partitions(settings: Settings) -> int:
    """SQLConf.numShufflePartitions: AQE has a number of its own to start from, where it may coalesce."""
    initial = settings[knobs.COALESCE_INITIAL_PARTITIONS]
    if initial and coalesces_partitions(settings):
        return initial
    return settings[knobs.SHUFFLE_PARTITIONS]
