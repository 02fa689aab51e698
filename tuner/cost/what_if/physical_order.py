"""What a what-if takes and gives: strategies that are given, joins with what Spark puts below them, and stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.cost.size import Size
from tuner.cost.what_if.makespan import makespan
from tuner.model.cluster import Cluster
from tuner.model.join_graph import Column
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import SideHint

Keys = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class GivenJoin:
    """How one join is to run. Without a build side the smaller one is built, where the strategy builds any."""

    strategy: Strategy
    build_side: BuildSide | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What is given of an order's joins; Spark chooses the rest.

    `joins` holds joins by the set of their relations, `sides` hints by the set of relations of the side that has them.
    A hash or sort merge join that is given where no keys are compared is ignored, as Spark ignores such a hint.
    """

    joins: Mapping[int, GivenJoin] = field(default_factory=dict)
    sides: Mapping[int, SideHint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlannedJoin:
    """One join of an order with what Spark puts below it.

    `keys` are pairs of columns, left then right. `shuffled` and `sorted` are the sides it does that to: a side that
    comes out of a join on the same keys is already; `shuffle_keys` are those of each shuffled side. `reused` are the
    sides whose exchange, or broadcast, is that of an equal relation before, `broadcast` is the side that is broadcast.
    """

    left: int
    right: int
    keys: tuple[tuple[Column, Column], ...]
    strategy: Strategy
    build_side: BuildSide | None
    shuffled: tuple[BuildSide, ...] = ()
    shuffle_keys: tuple[Keys, ...] = ()
    sorted: tuple[BuildSide, ...] = ()
    reused: tuple[BuildSide, ...] = ()
    broadcast: BuildSide | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        broadcasts = self.strategy in (Strategy.BROADCAST_HASH, Strategy.BROADCAST_NESTED_LOOP)
        object.__setattr__(self, "broadcast", self.build_side if broadcasts else None)

    @property
    def relations(self) -> int:
        return self.left | self.right

    def side(self, which: BuildSide) -> int:
        return self.left if which is BuildSide.LEFT else self.right


@dataclass(frozen=True, slots=True)
class PhysicalJoin:
    """A planned join with its price: `core_seconds` are spent by tasks, `serial_seconds` on a broadcast's build."""

    plan: PlannedJoin
    size: Size
    core_seconds: float
    serial_seconds: float

    @property
    def relations(self) -> int:
        return self.plan.relations

    @property
    def left(self) -> int:
        return self.plan.left

    @property
    def right(self) -> int:
        return self.plan.right

    @property
    def strategy(self) -> Strategy:
        return self.plan.strategy

    @property
    def build_side(self) -> BuildSide | None:
        return self.plan.build_side

    @property
    def shuffled(self) -> tuple[BuildSide, ...]:
        return self.plan.shuffled

    @property
    def sorted(self) -> tuple[BuildSide, ...]:
        return self.plan.sorted

    @property
    def reused(self) -> tuple[BuildSide, ...]:
        return self.plan.reused


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs between exchanges.

    `inputs` are the numbers of the stages it waits for, `rows` and `bytes` come in, `core_seconds` its tasks share;
    `driver_seconds` go by after them until what it broadcasts is there.
    """

    relations: int
    inputs: tuple[int, ...]
    rows: float
    bytes: float
    tasks: int
    core_seconds: float
    driver_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PhysicalOrder:
    """The joins and the stages of an order, inputs before what they feed."""

    joins: tuple[PhysicalJoin, ...]
    stages: tuple[Stage, ...] = ()

    @property
    def core_seconds(self) -> float:
        """Of the rows and bytes of its joins; what starting tasks takes is in the stages."""
        return sum(join.core_seconds for join in self.joins)

    @property
    def serial_seconds(self) -> float:
        return sum(join.serial_seconds for join in self.joins)

    def seconds(self, cluster: Cluster) -> float:
        """Seconds until the last stage is done, stages that do not wait for each other sharing the cores."""
        return makespan(
            [(s.inputs, s.tasks, s.core_seconds / s.tasks, s.driver_seconds) for s in self.stages],
            max(1, cluster.cores),
        )
