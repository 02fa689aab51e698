"""What is best for a query's joins by prices that know the true rows: another order with its broadcasts, hints, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.best_hints import best_hints, is_enough
from tuner.advice.candidates.cheapest_orders import PricedBlock, cheapest_orders, lookalike_groups
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.order_broadcasts import OrderBroadcast, order_broadcasts
from tuner.advice.candidates.order_changes import OrderChange, OrderPrices
from tuner.advice.facts import Facts
from tuner.bench.oracle.hinted_seconds import hinted_seconds
from tuner.cost.join_tree import JoinTree
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.order_text import order_text
from tuner.plan.ordered_joins import ordered_joins

_ADVISOR = "oracle"
# By the signature of a block its sets that have more rows than were counted.
AtLeast = Mapping[str, frozenset[int]]
_ALL_COUNTED: AtLeast = {}


@dataclass(frozen=True, slots=True)
class ChosenOrder:
    """Another order of a block with the sides to broadcast in it.

    Seconds are those of its joins by prices: in this order, as they ran, and as they ran but for hints.
    """

    change: OrderChange
    seconds: float
    ran_seconds: float
    hinted_seconds: float
    broadcasts: tuple[OrderBroadcast, ...] = ()

    @property
    def is_cheaper(self) -> bool:
        """Whether it saves enough of what the query took, of what hints alone would leave."""
        return is_enough(self.hinted_seconds - self.seconds, self.change.query)


@dataclass(frozen=True, slots=True)
class OracleChoice:
    """Other `orders` of a query's blocks, and `hints` on joins that these keep."""

    query: Query
    orders: tuple[ChosenOrder, ...] = ()
    hints: tuple[HintCandidate, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """What a decision is made of; each once, where blocks are alike."""
        found: list[Change] = []
        for chosen in self.orders:
            graph = chosen.change.graph
            text = order_text(chosen.change.other.order, graph)
            order = self._change(Action(ActionKind.ORDER_JOINS, graph.signature, text, self.query.fingerprint))
            found += [order, *(self._change(one.action(self.query), order.id) for one in chosen.broadcasts)]
        found += [self._change(hint.action) for hint in self.hints]
        return tuple({change.id: change for change in found}.values())

    def _change(self, action: Action, needs: str = "") -> Change:
        # What it knows no other advisor does: nobody is told of it but by the bench.
        reason = Reason(ReasonCode.RECORDED, {"said": "the true rows of every join"})
        return Change.of(_ADVISOR, (action,), (self.query.fingerprint,), reason, (), None, needs=needs)


def oracle_choices(facts: Facts, at_least: Mapping[str, AtLeast] | None = None) -> list[OracleChoice]:
    """For each query of a run, whose blocks have the true rows of their sets as measured, what takes the fewest seconds.

    Unlike advice on orders it asks for no margin, for rows are known, but as much as any hint must save. `at_least` holds, by
    fingerprints of queries, sets that no order is to make.
    """
    prices = OrderPrices(facts)
    wanted = list(_orders(facts, prices, at_least or {}))
    broadcasts = order_broadcasts(facts, prices, [one.change for one in wanted])
    orders = [_with(facts, prices, one, of.given) for one, of in zip(wanted, broadcasts, strict=True)]
    found = []
    for query in facts.succeeded:
        mine = tuple(one for one in orders if one.change.query.id == query.id and one.is_cheaper)
        lost = _lost_joins(mine)
        hints = (hint for hint in _hints(facts, query) if hint.join.signature not in lost)
        found.append(OracleChoice(query, mine, tuple(hints)))
    return found


def _orders(facts: Facts, prices: OrderPrices, at_least: Mapping[str, AtLeast]) -> Iterator[ChosenOrder]:
    """For each block the cheapest order, where that is cheaper than the one that ran with hints."""
    by_query: dict[int, list[PricedBlock]] = {}
    for query, graph in prices.blocks():
        by_query.setdefault(query.id, []).append(prices.block(graph, query))
    for query in facts.succeeded:
        unknown, hints = at_least.get(query.fingerprint, _ALL_COUNTED), _hints(facts, query)
        for group in lookalike_groups(by_query.get(query.id, [])):
            trees = [_cheapest(group[0], query, unknown, hints)] if len(group) == 1 else _common_orders(group, unknown)
            for block, tree in zip(group, trees, strict=True):
                change = prices.change_to(query, block, tree)
                if change is not None:
                    seconds = hinted_seconds(block, query, change.other, hints)
                    chosen = ChosenOrder(change, seconds, *_written_seconds(block, query, hints))
                    yield from [chosen] if chosen.is_cheaper else []


def _common_orders(blocks: Sequence[PricedBlock], at_least: AtLeast) -> Sequence[JoinTree]:
    """Of blocks that the agent cannot tell apart; those that ran where the cheapest one makes what was not counted."""
    trees = cheapest_orders(blocks)
    known = all(_is_counted(tree, block, at_least) for block, tree in zip(blocks, trees, strict=True))
    return trees if known else [block.written for block in blocks]


def _is_counted(tree: JoinTree, block: PricedBlock, at_least: AtLeast) -> bool:
    unknown = at_least.get(block.graph.signature, frozenset[int]())
    return all(join.mask not in unknown for join in tree.joins)


def _written_seconds(block: PricedBlock, query: Query, hints: Sequence[HintCandidate]) -> tuple[float, float]:
    """As the block ran, and the least that hints leave of that."""
    ran = hinted_seconds(block, query, block.written, (), ())
    return ran, min(ran, hinted_seconds(block, query, block.written, hints, ()))


def _hints(facts: Facts, query: Query) -> list[HintCandidate]:
    return [hint for hint in best_hints(facts) if hint.query.fingerprint == query.fingerprint]


def _cheapest(block: PricedBlock, query: Query, at_least: AtLeast, hints: Sequence[HintCandidate]) -> JoinTree:
    """Of those that formula and prices find, searched however large the block is, and the one that ran."""
    trees = (*block.candidates, block.searched_by_seconds())
    known = [tree for tree in trees if _is_counted(tree, block, at_least)]
    return min((block.written, *known), key=lambda tree: hinted_seconds(block, query, tree, hints))


def _with(facts: Facts, prices: OrderPrices, chosen: ChosenOrder, broadcasts: Sequence[OrderBroadcast]) -> ChosenOrder:
    """The order with the broadcasts that it can have."""
    query, block = chosen.change.query, prices.block(chosen.change.graph, chosen.change.query)
    joined = {one.joined for one in broadcasts}
    seconds = hinted_seconds(block, query, chosen.change.other, _hints(facts, query), joined)
    return replace(chosen, seconds=seconds, broadcasts=tuple(broadcasts))


def _lost_joins(orders: Iterable[ChosenOrder]) -> set[str]:
    """The signatures of joins that ran and that orders no longer make."""
    before: set[str] = set()
    after: set[str] = set()
    for change in (one.change for one in orders):
        before.update(join.signature for join in ordered_joins(change.graph, change.written.order))
        after.update(join.signature for join in ordered_joins(change.graph, change.other.order))
    return before - after
