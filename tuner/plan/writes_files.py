"""Whether a query writes files, of which there are as many as tasks that end it."""

from __future__ import annotations

from collections.abc import Iterable

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


def _writes(node: PlanNode) -> bool:
    return node.name in _WRITERS or WRITTEN_FILES in node.metric_ids
