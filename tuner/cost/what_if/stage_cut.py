"""The tasks of the stages of an order, and what they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.cost.what_if.join_work import JoinWork
from tuner.cost.what_if.planned_order import PlannedOrder
from tuner.cost.what_if.sizes import Sizes
from tuner.cost.what_if.task_counts import scan_tasks, shuffle_tasks
from tuner.model.join_graph import JoinGraph, RelationKind
from tuner.spark.join_selection.selection_conf import SelectionConf

# Partitions are counted in 32 bits.
_MOST_TASKS = (1 << 31) - 1


@dataclass(slots=True)
class _Open:
    """A stage that operators are still added to. A product multiplies the tasks of its sides."""

    rows: float = 0.0
    bytes: float = 0.0
    scans: int = 0
    factor: int = 1
    shuffled: list[float] = field(default_factory=list)

    def take(self, other: _Open) -> None:
        self.rows += other.rows
        self.bytes += other.bytes
        if other.scans > self.scans:
            self.scans = other.scans
        if other.factor > self.factor:
            self.factor = other.factor
        self.shuffled += other.shuffled


class SizedStage(NamedTuple):
    """What comes into a stage, and the tasks that share it."""

    rows: float
    bytes: float
    tasks: int


class StageSeconds(NamedTuple):
    """What the tasks of a stage take of cores together, and the driver after them."""

    core: float
    driver: float


@dataclass(frozen=True, slots=True)
class StageCut:
    """What decides how many tasks stages have, and what starting them takes."""

    graph: JoinGraph
    conf: SelectionConf
    execution: ExecutionConf
    cores: int
    # Of scans whose files and rows are known: what comes out of them makes no difference.
    _scans: dict[int, _Open] = field(init=False, repr=False, compare=False, default_factory=dict)

    def sized(self, order: PlannedOrder, sizes: Sizes) -> list[SizedStage]:
        """The stages of an order of these sizes."""
        ended: list[SizedStage] = []
        stages: dict[int, _Open] = {}
        for step in order.steps:
            own = _Open()
            sides = [
                stages.pop(side.relations) if side.relations in stages else self._leaf(side.relations, sizes)
                for side in step.inputs
            ]
            for side, below in zip(step.inputs, sides, strict=True):
                if not side.is_exchanged:
                    own.take(below)
                    continue
                if side.ends_stage:
                    ended.append(self._sized(below))
                if side.shuffles:
                    size = sizes[side.relations]
                    own.rows += size.rows
                    own.bytes += size.bytes
                    own.shuffled.append(size.bytes)
            if step.is_product:
                own.factor, own.scans = map(self._tasks, sides)
                own.shuffled = []
            stages[step.relations] = own
        return [*ended, *map(self._sized, stages.values())]

    def seconds(
        self, order: PlannedOrder, sized: Sequence[SizedStage], work: Sequence[JoinWork], costs: UnitCosts
    ) -> list[StageSeconds]:
        """What the stages take, by the work of the order's joins, with the starts of tasks, and of the segments of shuffles that
        they write."""
        written = costs.task + self.conf.shuffle_partitions * costs.shuffle_segment
        ended: list[StageSeconds] = []
        stages: dict[int, float] = {}
        for step, its in zip(order.steps, work, strict=True):
            own = 0.0
            for side in step.inputs:
                below = stages.pop(side.relations, 0.0)
                if not side.is_exchanged:
                    own += below
                elif side.ends_stage:
                    below += its.left_write if side.is_left else its.right_write
                    tasks = sized[len(ended)].tasks
                    if side.shuffles:
                        ended.append(StageSeconds((below + tasks * written) / 1e9, 0.0))
                    else:
                        ended.append(StageSeconds((below + tasks * costs.task) / 1e9, its.serial / 1e9))
            stages[step.relations] = own + its.own
        last = zip(stages.values(), sized[len(ended) :], strict=True)
        return [*ended, *(StageSeconds((own + stage.tasks * costs.task) / 1e9, 0.0) for own, stage in last)]

    def _leaf(self, relations: int, sizes: Sizes) -> _Open:
        """The stage that a relation comes out of; what is below it is not priced."""
        if relations in self._scans:
            return self._scans[relations]
        relation, size = self.graph.relations[relations.bit_length() - 1], sizes[relations]
        if relation.kind is not RelationKind.SCAN:
            return _Open(size.rows, size.bytes, shuffled=[size.bytes])
        read = size.bytes if relation.file_bytes is None else relation.file_bytes
        rows = size.rows if relation.scanned_rows is None else relation.scanned_rows
        scan = _Open(rows, read, scan_tasks(read, self.execution, self.cores))
        if relation.file_bytes is not None and relation.scanned_rows is not None:
            self._scans[relations] = scan
        return scan

    def _tasks(self, stage: _Open) -> int:
        tasks = max(1, stage.scans)
        if stage.shuffled:
            partitions, advisory = self.conf.shuffle_partitions, self.conf.advisory_partition_bytes
            tasks = shuffle_tasks(stage.shuffled, partitions, advisory, self.execution, self.cores)
        return min(_MOST_TASKS, stage.factor * tasks)

    def _sized(self, stage: _Open) -> SizedStage:
        return SizedStage(stage.rows, stage.bytes, self._tasks(stage))
