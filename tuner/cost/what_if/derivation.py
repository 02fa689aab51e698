"""From an order to joins with their strategies and with what Spark puts below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

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
from tuner.cost.what_if.planned_order import PlannedOrder, planned_order
from tuner.cost.what_if.sizes import Sizes
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.strategy import SHUFFLED, BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import BOTH, LogicalJoin, Side, SideHint
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.version import Version

_NEEDS_KEYS = SHUFFLED | {Strategy.BROADCAST_HASH}
_HASHED = frozenset({Strategy.SHUFFLED_HASH, Strategy.BROADCAST_HASH})
_BUILT = _HASHED | {Strategy.BROADCAST_NESTED_LOOP}
# SPARK-31869 (partitionings by the build side's columns), SPARK-32383 (hash joins keep the streamed side's order).
_KEEPS_MORE: Version = (3, 1, 0)


_Choice = tuple[Strategy, BuildSide | None]


class _JoinedSets(NamedTuple):
    """A join of an order, before it is known how it runs."""

    left: int
    right: int
    keys: Pairs


@dataclass(frozen=True, slots=True)
class Derivation:
    """What decides how an order is run, beside the sizes of its joins.

    How an order was planned is kept: with other sizes most joins are chosen as before.
    """

    graph: JoinGraph
    conf: SelectionConf
    execution: ExecutionConf
    _sets: dict[Order, tuple[_JoinedSets, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)
    _chosen: dict[tuple[float, float, bool], _Choice] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    _planned: dict[tuple[Order, tuple[_Choice, ...]], PlannedOrder] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def planned(self, order: Order, given: Given, sizes: Sizes) -> PlannedOrder:
        """The joins of an order of these sizes, inputs before what they feed."""
        if order not in self._sets:
            joined: list[_JoinedSets] = []
            self._join(order, joined)
            self._sets[order] = tuple(joined)
        joins = self._sets[order]
        choices = tuple([self._choice(left, right, given, sizes, has_keys=bool(keys)) for left, right, keys in joins])
        key = (order, choices)
        if key not in self._planned:
            chosen = (PlannedJoin(*one, *choice) for one, choice in zip(joins, choices, strict=True))
            found: list[PlannedJoin] = []
            self._run(order, chosen, found)
            every = reuse(found, self.graph) if self.execution.reuses_exchanges else found
            self._planned[key] = planned_order(every, self.graph)
        return self._planned[key]

    def lone_join(self, left: int, right: int, given: Given, sizes: Sizes) -> PlannedJoin:
        """The join of two sets of relations, neither of which comes partitioned or sorted for it, without its keys.

        A search asks for thousands: of what Spark puts below joins nothing depends on the keys here.
        """
        has_keys = next(self.graph.keys(left, right), None) is not None
        strategy, build_side = self._choice(left, right, given, sizes, has_keys=has_keys)
        shuffled = BOTH if strategy in SHUFFLED else ()
        is_sorted = strategy is Strategy.SORT_MERGE
        return PlannedJoin(left, right, (), strategy, build_side, shuffled, (), BOTH if is_sorted else ())

    def _join(self, order: Order, found: list[_JoinedSets]) -> int:
        """The set of an order's relations."""
        if isinstance(order, int):
            return 1 << order
        left, right = (self._join(side, found) for side in order)
        found.append(_JoinedSets(left, right, tuple(self.graph.keys(left, right))))
        return left | right

    def _run(self, order: Order, chosen: Iterator[PlannedJoin], found: list[PlannedJoin]) -> Delivered:
        if isinstance(order, int):
            return _delivered(self.graph, order)
        left, right = (self._run(side, chosen, found) for side in order)
        join, delivered = self._require(next(chosen), left, right)
        found.append(join)
        return delivered

    def _choice(self, left: int, right: int, given: Given, sizes: Sizes, *, has_keys: bool) -> _Choice:
        """The strategy that is given, else the one that Spark chooses."""
        one, other = sizes[left].bytes, sizes[right].bytes
        wanted = given.joins.get(left | right) if given.joins else None
        if wanted and (has_keys or wanted.strategy not in _NEEDS_KEYS):
            return wanted.strategy, _build_side(one, other, wanted)
        if given.sides:
            return self._selected(one, other, given.sides.get(left), given.sides.get(right), has_keys=has_keys)
        key = (one, other, has_keys)
        choice = self._chosen.get(key)
        if choice is None:
            choice = self._chosen[key] = self._selected(one, other, has_keys=has_keys)
        return choice

    def _selected(
        self,
        left: float,
        right: float,
        left_hint: SideHint | None = None,
        right_hint: SideHint | None = None,
        *,
        has_keys: bool,
    ) -> _Choice:
        kind = JoinType.INNER if has_keys else JoinType.CROSS
        sides = (Side(_planner_bytes(left), left_hint), Side(_planner_bytes(right), right_hint))
        choice = select_join(LogicalJoin(kind, *sides, equi_keys=has_keys), self.conf)
        return choice.strategy, choice.build_side

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


def _build_side(left: float, right: float, wanted: GivenJoin) -> BuildSide | None:
    """The side that a join builds that is given, by the bytes of both."""
    if wanted.strategy not in _BUILT:
        return None
    # Of equals the right one, as JoinSelectionHelper.getSmallerSide.
    return wanted.build_side or (LEFT if left < right else RIGHT)


def _planner_bytes(size: float) -> int:
    return int(min(size, 1 << 62))


def _side_keys(pairs: Pairs, side: BuildSide) -> Keys:
    return tuple(pair[0 if side is LEFT else 1] for pair in pairs)


def _delivered(graph: JoinGraph, number: int) -> Delivered:
    relation, own = graph.relations[number], 1 << number
    return Delivered(
        tuple(tuple((own, name) for name in names) for names in relation.partitioned),
        tuple(frozenset((own, name) for name in names) for names in relation.sorted),
    )
