"""The stages of an order: its joins cut where rows are exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.exchange_reuse import Exchange, exchange_of
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.cost.what_if.join_work import JoinWork
from tuner.cost.what_if.physical_order import PlannedJoin, Stage
from tuner.cost.what_if.task_counts import scan_tasks, shuffle_tasks
from tuner.model.join_graph import JoinGraph, RelationKind
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import BOTH
from tuner.spark.join_selection.selection_conf import SelectionConf

# Partitions are counted in 32 bits.
_MOST_TASKS = (1 << 31) - 1


@dataclass
class _Open:
    """A stage that operators are still added to. A product multiplies the tasks of its sides."""

    relations: int
    inputs: list[int] = field(default_factory=list)
    rows: float = 0.0
    bytes: float = 0.0
    scans: int = 0
    shuffled: list[float] = field(default_factory=list)
    factor: int = 1
    nanoseconds: float = 0.0

    def take(self, other: _Open) -> None:
        self.inputs += other.inputs
        self.rows += other.rows
        self.bytes += other.bytes
        self.scans = max(self.scans, other.scans)
        self.factor = max(self.factor, other.factor)
        self.shuffled += other.shuffled
        self.nanoseconds += other.nanoseconds


@dataclass(frozen=True, slots=True)
class StageCut:
    """What decides how many tasks stages have, and what starting them takes."""

    graph: JoinGraph
    size_of: Callable[[int], Size]
    conf: SelectionConf
    execution: ExecutionConf
    costs: UnitCosts
    cores: int

    def stages(self, joins: Sequence[PlannedJoin], work: Sequence[JoinWork]) -> tuple[Stage, ...]:
        """The stages of joins and of their work, inputs before what they feed."""
        return _Cutting(self).run(joins, work)

    def leaf(self, relations: int) -> _Open:
        """The stage that a relation comes out of; what is below it is not priced."""
        relation, size = self.graph.relations[relations.bit_length() - 1], self.size_of(relations)
        if relation.kind is not RelationKind.SCAN:
            return _Open(relations, rows=size.rows, bytes=size.bytes, shuffled=[size.bytes])
        read = size.bytes if relation.file_bytes is None else relation.file_bytes
        rows = size.rows if relation.scanned_rows is None else relation.scanned_rows
        return _Open(relations, rows=rows, bytes=read, scans=scan_tasks(read, self.execution, self.cores))

    def tasks(self, stage: _Open) -> int:
        tasks = max(1, stage.scans)
        if stage.shuffled:
            partitions, advisory = self.conf.shuffle_partitions, self.conf.advisory_partition_bytes
            tasks = shuffle_tasks(stage.shuffled, partitions, advisory, self.execution, self.cores)
        return min(_MOST_TASKS, stage.factor * tasks)

    def close(self, stage: _Open, *, shuffles: bool = False, driver: float = 0.0) -> Stage:
        """The stage with the time of its tasks' starts, and of the segments of a shuffle that it writes."""
        tasks = self.tasks(stage)
        each = self.costs.task + (self.conf.shuffle_partitions * self.costs.shuffle_segment if shuffles else 0.0)
        return Stage(
            relations=stage.relations,
            inputs=tuple(dict.fromkeys(stage.inputs)),
            rows=stage.rows,
            bytes=stage.bytes,
            tasks=tasks,
            core_seconds=(stage.nanoseconds + tasks * each) / 1e9,
            driver_seconds=driver / 1e9,
        )


class _Cutting:
    """The stages of one order while they are cut."""

    def __init__(self, cut: StageCut) -> None:
        self._cut = cut
        self._done: list[Stage] = []
        self._open: dict[int, _Open] = {}
        self._exchanged: dict[Exchange, int] = {}

    def run(self, joins: Sequence[PlannedJoin], work: Sequence[JoinWork]) -> tuple[Stage, ...]:
        for join, its in zip(joins, work, strict=True):
            sides = {side: self._below(join.side(side)) for side in BOTH}
            own = _Open(join.relations)
            for side, below in sides.items():
                self._feed(own, join, side, below, its)
            if join.strategy is Strategy.CARTESIAN:
                # Each partition of one side meets each of the other (UnsafeCartesianRDD).
                own.factor, own.scans = (self._cut.tasks(below) for below in sides.values())
                own.shuffled = []
            own.nanoseconds += its.own
            self._open[join.relations] = own
        return (*self._done, *(self._cut.close(stage) for stage in self._open.values()))

    def _below(self, relations: int) -> _Open:
        return self._open.pop(relations) if relations in self._open else self._cut.leaf(relations)

    def _feed(self, own: _Open, join: PlannedJoin, side: BuildSide, below: _Open, work: JoinWork) -> None:
        """Adds a side to the stage of its join: by the stage that exchanges it, or as part of it."""
        shuffles = side in join.shuffled
        if not shuffles and side is not join.broadcast:
            own.take(below)
            return
        own.inputs.append(self._exchange(join, side, below, work))
        if shuffles:
            size = self._cut.size_of(join.side(side))
            own.rows += size.rows
            own.bytes += size.bytes
            own.shuffled.append(size.bytes)

    def _exchange(self, join: PlannedJoin, side: BuildSide, below: _Open, work: JoinWork) -> int:
        """The number of the stage that a side's exchange ends."""
        exchange = exchange_of(join, side, self._cut.graph)
        if exchange and side in join.reused:
            return self._exchanged[exchange]
        below.nanoseconds += work.write(side)
        shuffles = side in join.shuffled
        self._done.append(self._cut.close(below, shuffles=shuffles, driver=0.0 if shuffles else work.serial))
        if exchange:
            self._exchanged[exchange] = len(self._done) - 1
        return len(self._done) - 1
