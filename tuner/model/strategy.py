"""How joins are written and how Spark executes them."""

from __future__ import annotations

from enum import StrEnum


class JoinType(StrEnum):
    """Join types as Spark prints them; right outer is turned round into left outer.

    A left single join is a scalar subquery's (Spark 4): at most one row may match.
    """

    INNER = "Inner"
    CROSS = "Cross"
    LEFT_OUTER = "LeftOuter"
    FULL_OUTER = "FullOuter"
    LEFT_SEMI = "LeftSemi"
    LEFT_ANTI = "LeftAnti"
    EXISTENCE = "ExistenceJoin"
    LEFT_SINGLE = "LeftSingle"
    UNKNOWN = "Unknown"


class Strategy(StrEnum):
    """How Spark executes a join."""

    BROADCAST_HASH = "BroadcastHashJoin"
    SHUFFLED_HASH = "ShuffledHashJoin"
    SORT_MERGE = "SortMergeJoin"
    CARTESIAN = "CartesianProduct"
    BROADCAST_NESTED_LOOP = "BroadcastNestedLoopJoin"
    UNKNOWN = "Unknown"


# Joins that broadcast a side.
BROADCASTS = frozenset({Strategy.BROADCAST_HASH, Strategy.BROADCAST_NESTED_LOOP})
# Joins whose sides meet by shuffles.
SHUFFLED = frozenset({Strategy.SORT_MERGE, Strategy.SHUFFLED_HASH})


class BuildSide(StrEnum):
    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> BuildSide:
        return BuildSide.RIGHT if self is BuildSide.LEFT else BuildSide.LEFT
