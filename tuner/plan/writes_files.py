"""What a query writes: files, of which there are as many as tasks that end it, and for each of its partitions so many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tuner.model.application import Stage
from tuner.plan.node import PlanNode

# What Spark's own writers of files count (BasicWriteJobStatsTracker).
WRITTEN_FILES = "number of written files"
# Writers through the second API for data sources (V2TableWriteExec): Iceberg's count nothing that tells.
_WRITERS = (
    *("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData", "WriteDelta"),
    *("CreateTableAsSelect", "AtomicCreateTableAsSelect", "ReplaceTableAsSelect", "AtomicReplaceTableAsSelect"),
)


def writes_files(root: PlanNode, stages: Iterable[Stage]) -> bool:
    """Whether an operator of the plan writes, or a task of its stages told that it did."""
    return any(stage.output_bytes for stage in stages) or any(map(_writes, root.walk_all()))


def output_of(root: PlanNode, stages: Sequence[Stage]) -> tuple[int, int]:
    """Bytes that the tasks of its stages wrote (0: none told any), and files: where no writer counts these, one a task."""
    writing = [stage for stage in stages if stage.output_bytes]
    counted = max((node.metrics.get(WRITTEN_FILES, 0) for node in root.walk_all()), default=0)
    return sum(stage.output_bytes for stage in writing), counted or sum(stage.tasks for stage in writing)


def _writes(node: PlanNode) -> bool:
    return node.name in _WRITERS or WRITTEN_FILES in node.metric_ids
