"""The skewed partitions of joins, with bounds of their bytes from what the tasks of a stage read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, ShuffleExchange, SkewedStage
from tuner.model.strategy import BuildSide, JoinType
from tuner.spark.partition_limits import MOST_WITH_OWN_SIZES

# Reading twice as much as the others tells uneven data from a slow machine or a heavy row; and a task that AQE made of
# several small partitions reads no more than the others' target.
MIN_BYTES_FACTOR = 2.0
# The joins of which OptimizeSkewedJoin splits either side, or the left one; right outer joins are turned round here.
_EITHER = frozenset({JoinType.INNER, JoinType.CROSS})
_LEFT_ONLY = frozenset({JoinType.LEFT_OUTER, JoinType.LEFT_SEMI, JoinType.LEFT_ANTI})


@dataclass(frozen=True, slots=True)
class SkewedPartition:
    """A partition of one side of a join that one task read.

    `bytes` are at least what it has, `median_bytes` about what the others have, both as compressed, in `partitions` that
    `writers` tasks wrote. `other` is the join's other side.
    """

    query: Query
    stage: SkewedStage
    join: JoinSite
    other: JoinSide
    bytes: int
    median_bytes: int
    partitions: int
    writers: int

    @property
    def reshuffles(self) -> bool:
        return self.stage.reshuffles


def skewed_partitions(facts: Facts) -> Iterator[SkewedPartition]:
    """The partitions that a stage waited for, and AQE's rules allow to split."""
    for query in facts.succeeded:
        for stage in query.skews:
            join = _join_of(query, stage)
            if join is not None and reads_unevenly(stage) and not stage.obstacle:
                found = [p for which in _split_sides(join) if (p := _partition(query, stage, join, which))]
                # The side whose partition is surely larger.
                yield from sorted(found, key=lambda p: -p.bytes)[:1]


def reads_unevenly(stage: SkewedStage) -> bool:
    """Whether the task that a stage waited for had more to read than the others."""
    return stage.longest_task_bytes >= MIN_BYTES_FACTOR * max(1, stage.mean_task_bytes)


def _join_of(query: Query, stage: SkewedStage) -> JoinSite | None:
    return next(
        (j for j in query.joins if (j.signature, j.occurrence) == (stage.join, stage.occurrence)),
        None,
    )


def _split_sides(join: JoinSite) -> tuple[BuildSide, ...]:
    """The sides that OptimizeSkewedJoin can split."""
    if join.type in _EITHER:
        return (BuildSide.LEFT, BuildSide.RIGHT)
    return (BuildSide.LEFT,) if join.type in _LEFT_ONLY else ()


def _partition(query: Query, stage: SkewedStage, join: JoinSite, which: BuildSide) -> SkewedPartition | None:
    other = join.side(which.other)
    own, others = _shuffle_of(query, join.side(which)), _shuffle_of(query, other)
    if own is None or others is None or not 1 < own.partitions <= MOST_WITH_OWN_SIZES:
        return None
    written = own.written_bytes or 0
    # All that the task read is of this side but what can be of the other one.
    least = stage.longest_task_bytes - (others.written_bytes or 0)
    if join.type in _EITHER and written >= (others.written_bytes or 0):
        least = max(least, stage.longest_task_bytes // 2)
    if least <= 0:
        return None
    median = max(0, written - least) // (own.partitions - 1)
    # One map task that wrote nearly all of it would still be read as one piece.
    writers = min(own.map_tasks or 1, stage.writers)
    return SkewedPartition(query, stage, join, other, min(least, written), median, own.partitions, writers)


def _shuffle_of(query: Query, side: JoinSide) -> ShuffleExchange | None:
    """The shuffle that feeds a side, known by its bytes."""
    if side.shuffle_bytes is None:
        return None
    return next((s for s in query.shuffles if s.data_bytes == side.shuffle_bytes and s.written_bytes), None)
