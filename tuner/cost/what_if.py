"""A join order as Spark would run it: strategies, shuffles, sorts and broadcasts, and what they take.

Of a block only; its relations are read and its result used in the same way whatever the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tuner.cost.selection.conf import SelectionConf
from tuner.cost.selection.model import LogicalJoin, Side
from tuner.cost.selection.planning import select_join
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.eventlog.cluster import Cluster
from tuner.plan.graph import JoinGraph, Order
from tuner.plan.model import BuildSide, JoinType, Strategy


@dataclass(frozen=True, slots=True)
class PhysicalJoin:
    """One join of an order with what Spark puts below it.

    `shuffled` and `sorted` are the sides it does that to: a side that comes out of a join on the same keys is already.
    `core_seconds` are spent by tasks, `serial_seconds` while they wait for a broadcast.
    """

    relations: int
    left: int
    right: int
    size: Size
    strategy: Strategy
    build_side: BuildSide | None
    shuffled: tuple[BuildSide, ...]
    sorted: tuple[BuildSide, ...]
    core_seconds: float
    serial_seconds: float


@dataclass(frozen=True, slots=True)
class PhysicalOrder:
    """The joins of an order, inputs before what they feed."""

    joins: tuple[PhysicalJoin, ...]

    @property
    def core_seconds(self) -> float:
        return sum(join.core_seconds for join in self.joins)

    @property
    def serial_seconds(self) -> float:
        return sum(join.serial_seconds for join in self.joins)

    def seconds(self, cluster: Cluster) -> float:
        """Seconds with all cores at work whenever no broadcast is waited for."""
        return self.core_seconds / max(1, cluster.cores) + self.serial_seconds


@dataclass(frozen=True, slots=True)
class _Stream:
    """What comes out of a relation or join: on which keys its rows are partitioned and sorted, if at all."""

    relations: int
    size: Size
    partitioned: frozenset[int] = frozenset()
    sorted: frozenset[int] = frozenset()


class WhatIf:
    """Prices orders of one block under one conf.

    `size_of` gives the size of the join of a set of relations. The planner is taken to know these sizes, as it does
    with a hint on each join. A relation that is read twice is priced twice, whatever Spark reuses.
    """

    def __init__(
        self,
        graph: JoinGraph,
        size_of: Callable[[int], Size],
        conf: SelectionConf,
        cluster: Cluster,
        costs: UnitCosts,
    ) -> None:
        self._graph = graph
        self._size_of = size_of
        self._conf = conf
        self._cluster = cluster
        self._costs = costs
        self._class_of = _equal_columns(graph)

    def order(self, order: Order) -> PhysicalOrder:
        """The order as Spark would run it."""
        joins: list[PhysicalJoin] = []
        self._run(order, joins)
        return PhysicalOrder(tuple(joins))

    def seconds(self, order: Order) -> float:
        return self.order(order).seconds(self._cluster)

    def _run(self, order: Order, joins: list[PhysicalJoin]) -> _Stream:
        if isinstance(order, int):
            return _Stream(1 << order, self._size_of(1 << order))
        left, right = (self._run(side, joins) for side in order)
        keys = frozenset(self._keys(left.relations, right.relations))
        choice = select_join(
            LogicalJoin(
                JoinType.INNER if keys else JoinType.CROSS,
                Side(_bytes(left)),
                Side(_bytes(right)),
                equi_keys=bool(keys),
            ),
            self._conf,
        )
        out = self._size_of(left.relations | right.relations)
        price = _STRATEGIES[choice.strategy]
        join, stream = price(_Join(left, right, keys, out, choice.build_side, self._cluster, self._costs))
        joins.append(join)
        return stream

    def _keys(self, left: int, right: int) -> Iterator[int]:
        """The classes of equal columns that a join of two sets compares."""
        for predicate in self._graph.predicates:
            for one, other in ((left, right), (right, left)):
                if predicate.left & one == predicate.left and predicate.right & other == predicate.right:
                    yield self._class_of[(predicate.left, predicate.left_key)]


@dataclass(frozen=True, slots=True)
class _Join:
    left: _Stream
    right: _Stream
    keys: frozenset[int]
    out: Size
    build_side: BuildSide | None
    cluster: Cluster
    costs: UnitCosts

    def priced(
        self,
        strategy: Strategy,
        nanoseconds: float,
        serial: float = 0.0,
        shuffled: Iterable[BuildSide] = (),
        sorted_: Iterable[BuildSide] = (),
    ) -> PhysicalJoin:
        nanoseconds += self.out.rows * self.costs.emit
        return PhysicalJoin(
            relations=self.left.relations | self.right.relations,
            left=self.left.relations,
            right=self.right.relations,
            size=self.out,
            strategy=strategy,
            build_side=self.build_side,
            shuffled=tuple(shuffled),
            sorted=tuple(sorted_),
            core_seconds=nanoseconds / 1e9,
            serial_seconds=serial / 1e9,
        )

    def sides(self) -> tuple[tuple[BuildSide, _Stream], ...]:
        return (BuildSide.LEFT, self.left), (BuildSide.RIGHT, self.right)

    def stream(self, *, partitioned: frozenset[int], sorted_: frozenset[int]) -> _Stream:
        return _Stream(self.left.relations | self.right.relations, self.out, partitioned, sorted_)

    def build_and_probe(self) -> tuple[_Stream, _Stream]:
        return (self.left, self.right) if self.build_side is BuildSide.LEFT else (self.right, self.left)

    def shuffles(self) -> tuple[list[BuildSide], float]:
        """The sides not partitioned on the keys yet, and the nanoseconds of shuffling them.

        On all of them: spark.sql.requireAllClusterKeysForCoPartition.
        """
        sides = [(side, stream) for side, stream in self.sides() if stream.partitioned != self.keys]
        per_byte = self.costs.shuffle_write + self.costs.shuffle_read
        return [side for side, _ in sides], sum(stream.size.bytes * per_byte for _, stream in sides)


def _broadcast_hash(join: _Join) -> tuple[PhysicalJoin, _Stream]:
    build, probe = join.build_and_probe()
    costs = join.costs
    per_byte = costs.collect + costs.broadcast * max(1, join.cluster.executors)
    serial = build.size.rows * costs.broadcast_build + build.size.bytes * per_byte
    priced = join.priced(Strategy.BROADCAST_HASH, probe.size.rows * costs.probe, serial)
    return priced, join.stream(partitioned=probe.partitioned, sorted_=probe.sorted)


def _sort_merge(join: _Join) -> tuple[PhysicalJoin, _Stream]:
    shuffled, nanoseconds = join.shuffles()
    unsorted = [(side, s) for side, s in join.sides() if side in shuffled or s.sorted != join.keys]
    costs = join.costs
    nanoseconds += sum(s.size.rows * (costs.sort + costs.sort_insert) for _, s in unsorted)
    nanoseconds += sum(s.size.rows * costs.merge for _, s in join.sides())
    priced = join.priced(Strategy.SORT_MERGE, nanoseconds, shuffled=shuffled, sorted_=[side for side, _ in unsorted])
    return priced, join.stream(partitioned=join.keys, sorted_=join.keys)


def _shuffled_hash(join: _Join) -> tuple[PhysicalJoin, _Stream]:
    shuffled, nanoseconds = join.shuffles()
    build, probe = join.build_and_probe()
    nanoseconds += build.size.rows * join.costs.hash_build + probe.size.rows * join.costs.probe
    priced = join.priced(Strategy.SHUFFLED_HASH, nanoseconds, shuffled=shuffled)
    return priced, join.stream(partitioned=join.keys, sorted_=frozenset())


def _product(join: _Join) -> tuple[PhysicalJoin, _Stream]:
    """Every row meets every other."""
    pairs = join.left.size.rows * join.right.size.rows
    strategy = Strategy.BROADCAST_NESTED_LOOP if join.build_side else Strategy.CARTESIAN
    return join.priced(strategy, pairs * join.costs.merge), join.stream(partitioned=frozenset(), sorted_=frozenset())


_STRATEGIES: Mapping[Strategy, Callable[[_Join], tuple[PhysicalJoin, _Stream]]] = {
    Strategy.BROADCAST_HASH: _broadcast_hash,
    Strategy.SORT_MERGE: _sort_merge,
    Strategy.SHUFFLED_HASH: _shuffled_hash,
    Strategy.BROADCAST_NESTED_LOOP: _product,
    Strategy.CARTESIAN: _product,
}


def _bytes(stream: _Stream) -> int:
    return int(min(stream.size.bytes, 1 << 62))


def _equal_columns(graph: JoinGraph) -> dict[tuple[int, str], int]:
    """A number for each column of the predicates, the same for columns that they make equal."""
    columns = {(end, key) for p in graph.predicates for end, key in ((p.left, p.left_key), (p.right, p.right_key))}
    class_of = {column: number for number, column in enumerate(sorted(columns))}
    for predicate in graph.predicates:
        one, other = class_of[(predicate.left, predicate.left_key)], class_of[(predicate.right, predicate.right_key)]
        class_of = {column: one if number == other else number for column, number in class_of.items()}
    return class_of
