"""What a search may turn: the properties that the tuner decides about too."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Range:
    """A whole number between both, both included, searched on a log scale."""

    key: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Switch:
    """true or false."""

    key: str


Knob = Range | Switch

# What is set when the application starts, for all of its queries.
APPLICATION_KNOBS: tuple[Knob, ...] = (Range("spark.shuffle.sort.bypassMergeThreshold", 1, 400),)
# What a session can set, for each query by itself.
KNOBS: tuple[Knob, ...] = (
    Range("spark.sql.autoBroadcastJoinThreshold", 1 * _MIB, 512 * _MIB),
    Range("spark.sql.adaptive.autoBroadcastJoinThreshold", 1 * _MIB, 512 * _MIB),
    Range("spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold", 1 * _MIB, 256 * _MIB),
    Range("spark.sql.adaptive.advisoryPartitionSizeInBytes", 4 * _MIB, 256 * _MIB),
    Range("spark.sql.shuffle.partitions", 4, 400),
    Switch("spark.sql.join.preferSortMergeJoin"),
    Switch("spark.sql.optimizer.runtime.bloomFilter.enabled"),
    Switch("spark.sql.adaptive.skewJoin.enabled"),
)
