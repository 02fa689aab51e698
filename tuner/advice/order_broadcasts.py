"""The broadcasts that an order calls for: of joins that no run has had yet, with sides that Spark takes for far larger.

An order is priced as if the planner knew its sizes. It does not: the join of a large table with a filter is as large as
the table to it, so that it sorts and merges what would be broadcast, or builds the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.advice.builds import MAX_FAN_OUT
from tuner.advice.cheapest_order import Block
from tuner.advice.facts import Facts
from tuner.advice.join_hints import is_enough, side_name
from tuner.advice.model import Action, ActionKind, Hint
from tuner.advice.ordered_sides import ordered_side
from tuner.advice.reach import Reach
from tuner.cost.join_tree import JoinTree
from tuner.cost.memory import MAX_BROADCAST_ROWS, relation_bytes
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.cost.what_if.model import Given, GivenJoin, PhysicalJoin
from tuner.plan.model import BuildSide, JoinSide, Query, Strategy
from tuner.plan.ordered_joins import signature_of


@dataclass(frozen=True, slots=True)
class OrderBroadcast:
    """One side of one join of an order, to be broadcast: `side` as large as it may be, with the seconds that saves."""

    signature: str
    side: JoinSide
    gain: float

    @property
    def name(self) -> str:
        return side_name(self.side)

    def action(self, query: Query) -> Action:
        return Action(ActionKind.HINT_JOIN, self.signature, Hint.BROADCAST, query.fingerprint, self.side.relations)


def order_broadcasts(facts: Facts, query: Query, block: Block, order: JoinTree) -> tuple[OrderBroadcast, ...]:
    """The sides that are small even at worst and that Spark, as far as this run tells, would not broadcast by itself.

    Together they fit into a query's memory, largest gain first; none where the agent does not steer, for SQL text names no
    join, and none that the agent could not hold back in a run of more data.
    """
    if facts.reach is not Reach.AGENT:
        return ()
    found: dict[str, OrderBroadcast] = {}
    used = 0
    for one in sorted(_worthwhile(facts, query, block, order), key=lambda one: -one.gain):
        size = _relation_bytes(one.side)
        if one.signature not in found and used + size <= facts.cap.query_bytes:
            used += size
            found[one.signature] = one
    return tuple(found.values())


def _worthwhile(facts: Facts, query: Query, block: Block, order: JoinTree) -> Iterator[OrderBroadcast]:
    given = block.given(order)
    hinted = block.what_if.order(order.order, given)
    for join in hinted.joins:
        which = join.build_side
        if join.strategy is not Strategy.BROADCAST_HASH or which is None or join.relations in given.joins:
            continue
        build, other = (join.left, join.right) if which is BuildSide.LEFT else (join.right, join.left)
        side = ordered_side(query, block.graph, block.sizes, build)
        if _is_broadcast_by_spark(query, block, build) or not _may_be_built(facts, block, join, side, other):
            continue
        instead = Given({**given.joins, join.relations: _without_hint(query, block, which, other)})
        alone = block.what_if.order(order.order, instead)
        gain = alone.seconds(facts.cluster) - hinted.seconds(facts.cluster)
        if is_enough(gain, query):
            yield OrderBroadcast(signature_of(block.graph, join.left, join.right), side, gain)


def _without_hint(query: Query, block: Block, which: BuildSide, other: int) -> GivenJoin:
    if _is_broadcast_by_spark(query, block, other):
        return GivenJoin(Strategy.BROADCAST_HASH, BuildSide.RIGHT if which is BuildSide.LEFT else BuildSide.LEFT)
    return GivenJoin(Strategy.SORT_MERGE)


def _is_broadcast_by_spark(query: Query, block: Block, relations: int) -> bool:
    """Whether it is one relation that Spark planned to broadcast: it will again, whatever it is joined with."""
    if relations.bit_count() > 1:
        return False
    tables = block.graph.tables(relations)
    return any(
        (join.left if join.build_side is BuildSide.LEFT else join.right).relations == tables
        for join in query.joins
        if join.planned_strategy is Strategy.BROADCAST_HASH and join.build_side is not None
    )


def _may_be_built(facts: Facts, block: Block, join: PhysicalJoin, side: JoinSide, other: int) -> bool:
    """Whether memory holds it at worst, the agent can hold it back, and each hashed key is met a few times only."""
    rows = block.sizes.size(join.relations).rows * SIZE_ERRORS[block.basis(join.relations)]
    fans_out = rows > MAX_FAN_OUT * max(side.rows or 0, block.sizes.size(other).rows)
    told_apart = side.relations != block.graph.tables(other)
    fits = (side.rows or 0) <= MAX_BROADCAST_ROWS and _relation_bytes(side) <= facts.cap.one_bytes
    return fits and told_apart and not fans_out and side.leaf_bytes is not None


def _relation_bytes(side: JoinSide) -> int:
    return relation_bytes(side.rows or 0, side.shuffle_bytes or 0)
