"""The hash relation that one task of a shuffled hash join builds."""

from __future__ import annotations

from tuner.advice.candidates.skewed_partition import reads_unevenly
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, ShuffleExchange
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.memory import relation_bytes

# A log has no bytes of single partitions: the largest is taken to hold this many times the mean, where no task stood out. AQE
# calls five times the median skewed (spark.sql.adaptive.skewJoin.skewedPartitionFactor) and only splits those of 256 MB and more.
SKEW = 5.0


def task_relation_bytes(query: Query, join: JoinSite, build: JoinSide, conf: SelectionConf) -> int:
    """Bytes of the largest hash relation a task builds of this side.

    AQE joins neighbouring partitions until those of both sides have advisoryPartitionSizeInBytes as written
    (ShufflePartitionsUtil.coalescePartitions); where a shuffle is not known, one task gets it all. Of the task that the join's
    stage waited for, all that it read may have been of this side.
    """
    shuffle, other = (shuffle_of(query, side) for side in (build, join.right if build is join.left else join.left))
    written = sum(s.written_bytes or 0 for s in (shuffle, other) if s)
    tasks = min(shuffle.partitions, written // max(1, conf.advisory_partition_bytes)) if shuffle else 1
    share = min(1.0, max(SKEW / tasks, _skewed_share(query, join, shuffle))) if shuffle and tasks > 1 else 1.0
    return relation_bytes(int((build.rows or 0) * share), int((build.shuffle_bytes or 0) * share))


def _skewed_share(query: Query, join: JoinSite, shuffle: ShuffleExchange) -> float:
    """The most of a shuffle that one task has read, where it read more than the others; 0 where none did."""
    stages = (stage for stage in query.skews if (stage.join, stage.occurrence) == (join.signature, join.occurrence))
    read = max((stage.longest_task_bytes for stage in stages if reads_unevenly(stage)), default=0)
    return read / max(1, shuffle.written_bytes or 0)


def shuffle_of(query: Query, side: JoinSide) -> ShuffleExchange | None:
    """The shuffle that feeds a side, known by its data size."""
    return next((s for s in query.shuffles if side.shuffle_bytes and s.data_bytes == side.shuffle_bytes), None)
