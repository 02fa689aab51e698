"""What the simulation of Spark's join selection takes and gives back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tuner.model.strategy import BuildSide, JoinType, Strategy

LEFT, RIGHT = BuildSide.LEFT, BuildSide.RIGHT
BOTH = (LEFT, RIGHT)


class SideHint(StrEnum):
    """What a hint asks of one side of a join (JoinStrategyHint): a user's four, and three that Spark itself adds."""

    BROADCAST = "BROADCAST"
    MERGE = "MERGE"
    SHUFFLE_HASH = "SHUFFLE_HASH"
    SHUFFLE_REPLICATE_NL = "SHUFFLE_REPLICATE_NL"
    NO_BROADCAST_HASH = "NO_BROADCAST_HASH"
    PREFER_SHUFFLE_HASH = "PREFER_SHUFFLE_HASH"
    NO_BROADCAST_AND_REPLICATION = "NO_BROADCAST_AND_REPLICATION"


@dataclass(frozen=True, slots=True)
class Shuffle:
    """The finished shuffle directly below one side of a join, by its partitions' bytes as written (MapOutputStatistics).

    These are compressed bytes; thresholds of broadcasts are compared with "data size" instead. `users` says that the
    query's own REPARTITION made it, not the join.
    """

    partitions: int
    non_empty: int
    largest_bytes: int
    total_bytes: int
    users: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a join as the planner knows it, which never looks at rows.

    `bytes` is its estimate (Statistics.sizeInBytes), or what a finished stage measured ("data size") if `measured`.
    `shuffle` is None unless the side is a finished shuffle; `broadcast` says that its broadcast was started already.
    """

    bytes: int
    hint: SideHint | None = None
    measured: bool = False
    shuffle: Shuffle | None = None
    broadcast: bool = False


@dataclass(frozen=True, slots=True)
class LogicalJoin:
    """One join as the optimizer hands it to the planner.

    A right outer join comes as a left outer one with its sides `turned` round, which only matters between sides of the
    same size. `equi_keys` says that the condition has an equality of both sides; a condition beside it changes nothing.
    Keys that are not `hashable` are strings of a collation, keys that are not `orderable` maps or intervals.
    `null_aware` is NOT IN (SELECT …) of one nullable column, planned as a left anti join.
    """

    type: JoinType
    left: Side
    right: Side
    equi_keys: bool = True
    hashable: bool = True
    orderable: bool = True
    null_aware: bool = False
    turned: bool = False

    def side(self, which: BuildSide) -> Side:
        return self.left if which is LEFT else self.right

    @property
    def is_inner(self) -> bool:
        """InnerLike: either side may be built and a product is a join."""
        return self.type in (JoinType.INNER, JoinType.CROSS)

    def has_hint(self, hint: SideHint) -> bool:
        return hint in (self.left.hint, self.right.hint)

    def hinted(self, hint: SideHint) -> tuple[BuildSide, ...]:
        """The sides with this hint."""
        return tuple(which for which in BOTH if self.side(which).hint is hint)

    @property
    def smaller(self) -> BuildSide:
        """The side with fewer bytes; of equals the right one as written (JoinSelectionHelper.getSmallerSide)."""
        if self.left.bytes == self.right.bytes:
            return LEFT if self.turned else RIGHT
        return LEFT if self.left.bytes < self.right.bytes else RIGHT


class Rule(StrEnum):
    """The rule that picked a strategy."""

    BROADCAST_HINT = "broadcast_hint"
    MERGE_HINT = "merge_hint"
    SHUFFLE_HASH_HINT = "shuffle_hash_hint"
    REPLICATE_HINT = "replicate_hint"
    BROADCAST_STAGE = "broadcast_stage"
    BROADCAST_SIZE = "broadcast_size"
    MUCH_SMALLER = "much_smaller"
    SMALL_PARTITIONS = "small_partitions"
    SORTABLE_KEYS = "sortable_keys"
    NULL_AWARE = "null_aware"
    PRODUCT = "product"
    LAST_RESORT = "last_resort"
    UNKNOWN_TYPE = "unknown_type"


@dataclass(frozen=True, slots=True)
class Choice:
    """What Spark picks, by which rule. `build_side` is None where nothing is built (sort merge, Cartesian product)."""

    strategy: Strategy
    build_side: BuildSide | None
    rule: Rule
