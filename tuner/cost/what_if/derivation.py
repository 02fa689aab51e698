"""From an order to joins with their strategies and with what Spark puts below them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tuner.cost.size import Size
from tuner.cost.what_if.ensure_requirements import (
    LEFT,
    RIGHT,
    Delivered,
    Pairs,
    expanded,
    is_sorted,
    merged_order,
    reordered,
    shuffles,
)
from tuner.cost.what_if.exchange_reuse import reuse
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.cost.what_if.physical_order import Given, GivenJoin, Keys, PlannedJoin
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.strategy import SHUFFLED, BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import BOTH, LogicalJoin, Side
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.version import Version

_NEEDS_KEYS = SHUFFLED | {Strategy.BROADCAST_HASH}
_HASHED = frozenset({Strategy.SHUFFLED_HASH, Strategy.BROADCAST_HASH})
_BUILT = _HASHED | {Strategy.BROADCAST_NESTED_LOOP}
# SPARK-31869 (partitionings by the build side's columns), SPARK-32383 (hash joins keep the streamed side's order).
_KEEPS_MORE: Version = (3, 1, 0)


@dataclass(frozen=True, slots=True)
class Derivation:
    """What decides how an order is run."""

    graph: JoinGraph
    size_of: Callable[[int], Size]
    conf: SelectionConf
    execution: ExecutionConf
    _sides: dict[int, Side] = field(init=False, repr=False, compare=False, default_factory=dict)

    def joins(self, order: Order, given: Given) -> tuple[PlannedJoin, ...]:
        """The joins of an order, inputs before what they feed."""
        found: list[PlannedJoin] = []
        self._run(order, given, found)
        return reuse(found, self.graph) if self.execution.reuses_exchanges else tuple(found)

    def lone_join(self, left: int, right: int, given: Given) -> PlannedJoin:
        """The join of two sets of relations, neither of which comes partitioned or sorted for it, without its keys.

        A search asks for thousands: of what Spark puts below joins nothing depends on the keys here.
        """
        has_keys = next(self.graph.keys(left, right), None) is not None
        strategy, build_side = self._choice(left, right, given, has_keys=has_keys)
        shuffled = BOTH if strategy in SHUFFLED else ()
        is_sorted = strategy is Strategy.SORT_MERGE
        return PlannedJoin(left, right, (), strategy, build_side, shuffled, (), BOTH if is_sorted else ())

    def _run(self, order: Order, given: Given, found: list[PlannedJoin]) -> tuple[int, Delivered]:
        if isinstance(order, int):
            return 1 << order, _delivered(self.graph, order)
        (left_set, left), (right_set, right) = (self._run(side, given, found) for side in order)
        pairs = tuple(self.graph.keys(left_set, right_set))
        join = self._select(PlannedJoin(left_set, right_set, pairs, Strategy.UNKNOWN, None), given)
        join, delivered = self._require(join, left, right)
        found.append(join)
        return join.relations, delivered

    def _select(self, join: PlannedJoin, given: Given) -> PlannedJoin:
        strategy, build_side = self._choice(join.left, join.right, given, has_keys=bool(join.keys))
        return replace(join, strategy=strategy, build_side=build_side)

    def _choice(self, left: int, right: int, given: Given, *, has_keys: bool) -> tuple[Strategy, BuildSide | None]:
        """The strategy that is given, else the one that Spark chooses."""
        wanted = given.joins.get(left | right)
        if wanted and (has_keys or wanted.strategy not in _NEEDS_KEYS):
            return wanted.strategy, self._build_side(left, right, wanted)
        kind = JoinType.INNER if has_keys else JoinType.CROSS
        join = LogicalJoin(kind, self._side(left, given), self._side(right, given), equi_keys=has_keys)
        choice = select_join(join, self.conf)
        return choice.strategy, choice.build_side

    def _build_side(self, left: int, right: int, wanted: GivenJoin) -> BuildSide | None:
        if wanted.strategy not in _BUILT:
            return None
        # Of equals the right one, as JoinSelectionHelper.getSmallerSide.
        smaller = LEFT if self.size_of(left).bytes < self.size_of(right).bytes else RIGHT
        return wanted.build_side or smaller

    def _side(self, relations: int, given: Given) -> Side:
        if (hint := given.sides.get(relations)) is not None:
            return Side(self._bytes(relations), hint)
        if relations not in self._sides:
            self._sides[relations] = Side(self._bytes(relations))
        return self._sides[relations]

    def _bytes(self, relations: int) -> int:
        return int(min(self.size_of(relations).bytes, 1 << 62))

    def _require(self, join: PlannedJoin, left: Delivered, right: Delivered) -> tuple[PlannedJoin, Delivered]:
        if join.strategy in SHUFFLED:
            return self._shuffled(join, left, right)
        if join.broadcast is None:
            return join, Delivered()
        streamed = left if join.broadcast is RIGHT else right
        if join.strategy is Strategy.BROADCAST_NESTED_LOOP:
            return join, Delivered(streamed.partitioned)
        equal = dict((pair if join.broadcast is RIGHT else pair[::-1]) for pair in join.keys)
        limit = self.execution.expand_limit if self.conf.has(_KEEPS_MORE) else 0
        return join, Delivered(expanded(streamed.partitioned, equal, limit), self._kept_order(streamed))

    def _shuffled(self, join: PlannedJoin, left: Delivered, right: Delivered) -> tuple[PlannedJoin, Delivered]:
        pairs = reordered(join.keys, left, right)
        moved = shuffles(pairs, left, right, requires_all_keys=self.execution.requires_all_keys)
        sides = {LEFT: left, RIGHT: right} | {which: Delivered((keys,)) for which, keys in moved.items()}
        partitioned = tuple(dict.fromkeys(sides[LEFT].partitioned + sides[RIGHT].partitioned))
        unsorted: tuple[BuildSide, ...] = ()
        if join.strategy is Strategy.SORT_MERGE:
            unsorted = tuple(side for side in BOTH if not is_sorted(sides[side], _side_keys(pairs, side)))
            order = merged_order(pairs, sides[LEFT], sides[RIGHT])
        else:
            order = self._kept_order(sides[LEFT if join.build_side is RIGHT else RIGHT])
        join = replace(join, keys=pairs, shuffled=tuple(moved), shuffle_keys=tuple(moved.values()), sorted=unsorted)
        return join, Delivered(partitioned, order)

    def _kept_order(self, streamed: Delivered) -> tuple[frozenset[tuple[int, str]], ...]:
        return streamed.sorted if self.conf.has(_KEEPS_MORE) else ()


def _side_keys(pairs: Pairs, side: BuildSide) -> Keys:
    return tuple(pair[0 if side is LEFT else 1] for pair in pairs)


def _delivered(graph: JoinGraph, number: int) -> Delivered:
    relation, own = graph.relations[number], 1 << number
    return Delivered(
        tuple(tuple((own, name) for name in names) for names in relation.partitioned),
        tuple(frozenset((own, name) for name in names) for names in relation.sorted),
    )
