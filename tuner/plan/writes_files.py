"""What a query writes: files, of which there are as many as tasks that end it, and for each of its partitions so many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.model.application import Stage
from tuner.plan.node import PlanNode, ran_as
from tuner.plan.sides import SHUFFLES, as_written, is_exchange, stage_of

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


def exchanges_of_writers(root: PlanNode) -> frozenset[object] | None:
    """The exchanges by which there are as many tasks that write as there are, by what tells them apart (`ran_as`). None where no
    operator writes, where another engine's is among them, or where the plan does not show what one of them reads again."""
    tops = [node for node in root.walk_all() if _writes(node)]
    read: list[PlanNode] = []
    is_told = bool(tops)
    while tops and is_told:
        operators, inputs = stage_of(tops.pop())
        found = list(map(as_written, inputs))
        is_told = not any(map(is_exchange, operators[1:])) and all(one.name != "ReusedExchange" for one in found)
        read += found
        tops += _read_by_mapper(operators)
    return frozenset(map(ran_as, read)) if is_told else None


def _read_by_mapper(operators: Iterable[PlanNode]) -> Iterator[PlanNode]:
    """The shuffles of which AQE may have a task read all that one task wrote (OptimizeShuffleWithLocalRead)."""
    readers = (node for node in operators if node.name in ("BroadcastHashJoin", "WriteFiles") or _writes(node))
    below = (as_written(child) for node in readers for child in node.children)
    return (node for node in below if node.name in SHUFFLES)


def _writes(node: PlanNode) -> bool:
    return node.name in _WRITERS or WRITTEN_FILES in node.metric_ids
