"""The broadcasts that an order may be given by hints: as large as memory holds, not only as Spark's threshold allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tuner.advice.candidates.best_hints import is_enough
from tuner.advice.candidates.broadcast_wait import outlasts_wait
from tuner.advice.candidates.coalesced_blocks import coalesced_joins
from tuner.advice.candidates.fan_out import MAX_FAN_OUT, may_drop_many
from tuner.advice.candidates.kept_prunings import Pruning, prunings
from tuner.advice.candidates.ordered_sides import ordered_side
from tuner.advice.candidates.row_widths import RowWidths
from tuner.advice.candidates.scattered_files import scattering_joins
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import JoinTree, tree_of
from tuner.cost.what_if.physical_order import Given, GivenJoin, PhysicalOrder
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, Strategy
from tuner.plan.ordered_joins import signature_of
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.spark.memory import MAX_BROADCAST_ROWS, relation_bytes

HINTED = GivenJoin(Strategy.BROADCAST_HASH)


@dataclass(frozen=True)
class BroadcastSides:
    """The sides of one block's joins that a hint may broadcast, in one execution of its query."""

    facts: Facts
    query: Query
    graph: JoinGraph
    sizes: Cardinality
    _sides: dict[int, JoinSide] = field(init=False, repr=False, compare=False, default_factory=dict)

    def fit(self, build: int, other: int) -> JoinSide | None:
        """A set of relations as a side, where memory holds it at worst, the agent can hold it back in a run of more data and
        can tell it from the other side, which does not prune its partitions, and each hashed key is met a few times only."""
        if self.sizes.size(build).bytes > self.facts.cap.one_bytes or self._fans_out(build, other):
            return None
        if any(one.by == other and one.pruned & build for one in self.prunings):
            return None
        side = self._side(build)
        size = max(side_bytes(side), self._bytes_if_wide(side))
        fits = (side.rows or 0) <= MAX_BROADCAST_ROWS and size <= self.facts.cap.one_bytes
        is_told = side.leaf_bytes is not None and self.graph.tables(build) != self.graph.tables(other)
        return side if fits and is_told and not self._takes_long(side) else None

    def hinted(self, left: int, right: int) -> JoinSide | None:
        """The side of a join that a hint would have built, if one may be given and Spark does not broadcast it anyway."""
        # Of equals the right one, as JoinSelectionHelper.getSmallerSide.
        build, other = (left, right) if self.sizes.size(left).bytes < self.sizes.size(right).bytes else (right, left)
        return self.fit(build, other) if self._are_allowed and self.sizes.size(build).bytes > self._by_spark else None

    @cached_property
    def _by_spark(self) -> int:
        return self.facts.selection.threshold(measured=False)

    @cached_property
    def _are_allowed(self) -> bool:
        return self.facts.reach is Reach.AGENT and not (self.query.broadcasts_off or broadcasts_off(self.facts.conf))

    @cached_property
    def prunings(self) -> tuple[Pruning, ...]:
        """What prunes partitions in the order that ran."""
        return prunings(self.query, self.graph)

    def _side(self, relations: int) -> JoinSide:
        if relations not in self._sides:
            self._sides[relations] = ordered_side(self.query, self.graph, self.sizes, relations)
        return self._sides[relations]

    def _takes_long(self, side: JoinSide) -> bool:
        """Whether a relation that this execution has shuffled would be made for longer than Spark waits; what joins put out the
        agent broadcasts only where Spark waits for any time."""
        measured = (one for join in self.query.joins for one in join.sides if one.relations == side.relations)
        return any(outlasts_wait(self.facts, self.query, one) for one in measured)

    def _bytes_if_wide(self, side: JoinSide) -> int:
        """The most of one relation that no shuffle has counted; the agent counts first what joins put out (MeasuredFirst)."""
        if len(side.relations) > 1:
            return 0
        return relation_bytes(side.rows or 0, self.facts.once(RowWidths).unmeasured_bytes(self.query, side))

    def _fans_out(self, build: int, other: int) -> bool:
        larger = max(self.sizes.size(relations).rows for relations in (build, other))
        return self.sizes.size(build | other).rows > MAX_FAN_OUT * larger or self._may_drop_many(build, other)

    def _may_drop_many(self, build: int, other: int) -> bool:
        """Whether a condition of the join, beside its keys, may drop many pairs of rows."""
        asked = (one for one in self._dropping if not one & ~(build | other))
        return any(one & ~build and one & ~other for one in asked)

    @cached_property
    def _dropping(self) -> frozenset[int]:
        """The relations of conditions that may have dropped many pairs in the order that ran."""
        joins = tree_of(self.graph.written, self.sizes.size).joins if self.graph.conditions else ()
        asked = {
            c.relations: next((j for j in joins if not c.relations & ~j.mask), None) for c in self.graph.conditions
        }
        return frozenset(relations for relations, join in asked.items() if join is None or self._has_dropped_many(join))

    def _has_dropped_many(self, ran: JoinTree) -> bool:
        """Whether a join of the order that ran may have, or no join of the query tells."""
        signature = signature_of(self.graph, *(side.mask for side in ran.children))
        found = [join for join in self.query.joins if join.signature == signature]
        return not found or any(may_drop_many(self.query, join) for join in found)


def side_bytes(side: JoinSide) -> int:
    """Bytes of the hash relation that a side makes."""
    return relation_bytes(side.rows or 0, side.shuffle_bytes or 0)


def kept_joins(facts: Facts, query: Query, graph: JoinGraph, order: PhysicalOrder) -> frozenset[int]:
    """The broadcast joins of an order, as sets of relations, that no hint may ask for: what runs in their stage needs their
    shuffles."""
    return scattering_joins(facts, query, graph, order) | coalesced_joins(facts, query, graph, order)


def hinted_broadcasts(
    sides: BroadcastSides, run: Callable[[Given], PhysicalOrder], given: Given
) -> Mapping[int, GivenJoin]:
    """The joins of an order, by the set of their relations, that take clearly fewer seconds broadcast than as Spark would run
    them by itself. Together their relations fit into what a query may broadcast."""
    cluster, cap = sides.facts.cluster, sides.facts.cap
    found: dict[int, GivenJoin] = {}
    used, best = 0, run(given)
    for join in best.joins:
        if join.relations in given.joins or join.strategy not in SHUFFLED:
            continue
        side = sides.hinted(join.left, join.right)
        if side is None or used + side_bytes(side) > cap.query_bytes:
            continue
        hinted = run(Given({**given.joins, **found, join.relations: HINTED}))
        gain, times = best.seconds(cluster) - hinted.seconds(cluster), times_in_run(sides.facts, sides.query)
        if not is_enough(gain, sides.query, times):
            continue
        if join.relations not in kept_joins(sides.facts, sides.query, sides.graph, hinted):
            found[join.relations] = HINTED
            used, best = used + side_bytes(side), hinted
    return found
