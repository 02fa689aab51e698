"""The broadcasts that an order needs: of joins that the latest run did not have, with sides that are small even at worst.

An order is priced as if the planner knew its sizes. The planner does not: it takes the join of a large table with a filter
for as large as the table, and so sorts and merges what should be broadcast, or builds the other side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tuner.advice.candidates.best_hints import best_hints, is_enough
from tuner.advice.candidates.broadcast_budget import BroadcastBudget, broadcast_budget, is_hinted
from tuner.advice.candidates.cheapest_orders import PricedBlock
from tuner.advice.candidates.hinted_broadcasts import HINTED, BroadcastSides, kept_joins, side_bytes
from tuner.advice.candidates.order_changes import OrderChange, OrderPrices
from tuner.advice.candidates.ordered_sides import ordered_side
from tuner.advice.candidates.side_name import side_name
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.what_if.physical_order import Given, GivenJoin
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.model.strategy import Strategy
from tuner.plan.order_text import order_text, parse_order
from tuner.plan.ordered_joins import OrderedJoin, ordered_joins, signature_of


@dataclass(frozen=True, slots=True)
class OrderBroadcast:
    """One side of one join of an order, to be broadcast: `side` as large as it may be, with the seconds that saves.

    `joined` is the set of relations that the join puts together.
    """

    signature: str
    joined: int
    side: JoinSide
    gain: float

    @property
    def name(self) -> str:
        return side_name(self.side)

    def action(self, query: Query) -> Action:
        return Action(ActionKind.HINT_JOIN, self.signature, Hint.BROADCAST, query.fingerprint, self.side.relations)


@dataclass(frozen=True, slots=True)
class OrderBroadcasts:
    """The broadcasts that an order is given, and how its joins run that are priced as broadcasts and have none, by the sets of
    their relations."""

    given: tuple[OrderBroadcast, ...] = ()
    refused: Mapping[int, GivenJoin] = field(default_factory=dict)


class _HintedJoin(NamedTuple):
    """A join of an order, by fingerprint and signature, that builds a side by a hint alone, and how it runs without one. One
    without keys is given none."""

    place: tuple[str, str]
    joined: int
    build: int
    instead: GivenJoin
    has_keys: bool


def order_broadcasts(facts: Facts, prices: OrderPrices, changes: Sequence[OrderChange]) -> list[OrderBroadcasts]:
    """The sides that each change's order should broadcast and that Spark, as far as the run shows, would not.

    A hint reaches every join of its signature, so each of them, in every execution of the query, must be fit for it; the
    largest is returned. Broadcasts of one query fit into memory together with what is advised beside its orders, largest
    gain first. Only where the agent steers (SQL text names no join), and only sides that the agent could hold back in a run
    of more data.
    """
    if facts.reach is not Reach.AGENT:
        return [OrderBroadcasts()] * len(changes)
    needing = [_needing_hints(prices, change) for change in changes]
    wanted = [
        (one, number)
        for number, (change, joins) in enumerate(zip(changes, needing, strict=True))
        for one in _worthwhile(facts, prices, change, joins)
    ]
    given: list[tuple[OrderBroadcast, ...]] = [()] * len(changes)
    taken: set[tuple[str, str]] = set()
    budget = _budget_beside(facts, changes) if wanted else None
    for one, number in sorted(wanted, key=lambda pair: -pair[0].gain):
        fingerprint = changes[number].query.fingerprint
        of_query = [change for change in changes if change.query.fingerprint == fingerprint]
        executions = _hinted_sides(facts, prices, of_query, one)
        if not executions or (fingerprint, one.signature) in taken:
            continue
        size = max(sum(map(side_bytes, sides)) for sides in executions)
        if budget and budget.take(fingerprint, size):
            taken.add((fingerprint, one.signature))
            largest = max((side for sides in executions for side in sides), key=side_bytes)
            given[number] += (replace(one, side=largest),)
    return [
        OrderBroadcasts(of, {join.joined: join.instead for join in joins if join.place not in taken})
        for of, joins in zip(given, needing, strict=True)
    ]


def _budget_beside(facts: Facts, changes: Iterable[OrderChange]) -> BroadcastBudget:
    """What is left beside the broadcasts that are there, and those that are advised, of joins that the orders keep."""
    before, after = set[tuple[str, str]](), set[tuple[str, str]]()
    for change in changes:
        for joins, order in ((before, change.graph.written), (after, change.other.order)):
            joins.update((change.query.fingerprint, join.signature) for join in ordered_joins(change.graph, order))
    gone = before - after
    budget = broadcast_budget(facts, gone)
    for hint in best_hints(facts):
        fingerprint = hint.query.fingerprint
        if hint.is_new_broadcast and (fingerprint, hint.join.signature) not in gone:
            budget.used[fingerprint] += hint.relation_bytes
    return budget


def _needing_hints(prices: OrderPrices, change: OrderChange) -> list[_HintedJoin]:
    """The joins of an order that are priced as broadcasts, and that Spark would not broadcast by itself."""
    query, block = change.query, prices.block(change.graph)
    given, ran = _as_priced(prices, change), block.given(change.other).joins
    found = []
    for join in block.what_if.order(change.other.order, given).joins:
        which = join.plan.broadcast
        if which is None or join.relations in ran:
            continue
        build, other = join.plan.side(which), join.plan.side(which.other)
        has_keys = join.strategy is Strategy.BROADCAST_HASH
        is_small = _is_broadcast_by_spark if has_keys else _is_small
        if is_small(query, block, build):
            continue
        unhinted = Strategy.SORT_MERGE if has_keys else Strategy.CARTESIAN
        builds_other = is_small(query, block, other)
        instead = GivenJoin(join.strategy, which.other) if builds_other else GivenJoin(unhinted)
        signature = signature_of(block.graph, join.left, join.right)
        found.append(_HintedJoin((query.fingerprint, signature), join.relations, build, instead, has_keys))
    return found


def _worthwhile(
    facts: Facts, prices: OrderPrices, change: OrderChange, joins: Sequence[_HintedJoin]
) -> Iterator[OrderBroadcast]:
    """The hints that pay, of joins that may have one."""
    query, block, order = change.query, prices.block(change.graph), change.other.order
    given = _as_priced(prices, change)
    hinted = block.what_if.order(order, given)
    kept = kept_joins(facts, query, change.graph, hinted)
    for join in (join for join in joins if join.has_keys and join.joined not in kept):
        alone = block.what_if.order(order, Given({**given.joins, join.joined: join.instead}))
        gain = alone.seconds(facts.cluster) - hinted.seconds(facts.cluster)
        if is_enough(gain, query, times_in_run(facts, query)):
            side = ordered_side(query, block.graph, block.sizes, join.build)
            yield OrderBroadcast(join.place[1], join.joined, side, gain)


def _as_priced(prices: OrderPrices, change: OrderChange) -> Given:
    return Given({**prices.block(change.graph).given(change.other).joins, **dict.fromkeys(change.hinted, HINTED)})


def _is_small(query: Query, block: PricedBlock, relations: int) -> bool:
    """Whether Spark would build it for a nested loop."""
    return block.is_small_to_planner(relations) or _is_broadcast_by_spark(query, block, relations)


def _is_broadcast_by_spark(query: Query, block: PricedBlock, relations: int) -> bool:
    """Whether it is one relation that Spark planned to broadcast without a hint: it will do so in any order."""
    if relations.bit_count() > 1:
        return False
    tables = block.graph.tables(relations)
    return any(
        join.built is not None and join.built.relations == tables and not is_hinted(query, join)
        for join in query.joins
        if join.planned_strategy is Strategy.BROADCAST_HASH
    )


def _hinted_sides(
    facts: Facts, prices: OrderPrices, changes: Sequence[OrderChange], one: OrderBroadcast
) -> list[list[JoinSide]]:
    """The sides that the hint will reach, of each execution of the query; none at all where one must not be broadcast."""
    fingerprint = changes[0].query.fingerprint
    orders = {change.graph.signature: order_text(change.other.order, change.graph) for change in changes}
    found = []
    for query in (query for query in facts.succeeded if query.fingerprint == fingerprint):
        if any(join.signature == one.signature for join in query.joins):
            return []  # that join is there already, and its hints are weighed by what was measured of it
        sides = [
            _fit_side(facts, query, prices.block(facts.with_history(query, graph)), join, one.side.relations)
            for graph in query.graphs
            if (order := orders.get(graph.signature))
            for join in ordered_joins(graph, parse_order(order, graph))
            if join.signature == one.signature
        ]
        fit = [side for side in sides if side is not None]
        if len(fit) < len(sides):
            return []
        if fit:
            found.append(fit)
    return found


def _fit_side(
    facts: Facts, query: Query, block: PricedBlock, join: OrderedJoin, tables: tuple[str, ...]
) -> JoinSide | None:
    """The side of these tables, if a hint may broadcast it."""
    both = (join.left, join.right)
    build, other = both if block.graph.tables(join.left) == tables else both[::-1]
    return BroadcastSides(facts, query, block.graph, block.sizes).fit(build, other)
