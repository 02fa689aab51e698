"""How an order compares with the one it replaces, with its relations at other sizes than they were measured at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.facts import Facts
from tuner.advice.given_at_sizes import given_at_sizes
from tuner.cost.join_tree import tree_of
from tuner.cost.size import Size
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_graph import JoinGraph, MeasuredJoin, Order, members
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError, order_text, parse_order

# What prices cannot tell apart is no worse.
_NO_WORSE = 1.02

# How many times its size each relation is taken to have, by its number.
Scale = Sequence[float]


class Worth(NamedTuple):
    """Seconds by an order, and by the one that it replaces."""

    seconds: float
    replaced: float

    @property
    def is_no_worse(self) -> bool:
        return self.seconds <= _NO_WORSE * self.replaced


# What an order is worth at these sizes.
WorthAt = Callable[[Scale], Worth]


def blocks_of(facts: Facts, action: Action) -> Iterator[tuple[Query, JoinGraph]]:
    """The blocks that an order is for, with their executions in this run."""
    for query in facts.succeeded:
        if query.fingerprint == action.query:
            yield from ((query, graph) for graph in query.graphs if graph.signature == action.target)


def order_worth(
    prices: OrderPrices, action: Action, graph: JoinGraph, order: Order, beside: Iterable[Action] = ()
) -> WorthAt | None:
    """None where no run at hand tells what order it replaces.

    Prices both orders with each join as many times larger as its relations are: what predicates keep stays a share. Joins of the
    order that ran in the latest run go on as they did, those that it replaces as in the run that had them; broadcasts that are
    hinted `beside` the order come with it.
    """
    replaced = _replaced(prices.facts, action, graph, order)
    if replaced is None:
        return None
    block = prices.block(graph)
    hints = [hint for hint in beside if hint.query == action.query and _is_broadcast(hint)]
    given, given_replaced = (
        given_at_sizes(block, graph, order, hints),
        given_at_sizes(block, replaced, replaced.written),
    )
    known: dict[int, tuple[Size, tuple[int, ...]]] = {}

    def worth(scale: Scale) -> Worth:
        def scaled(relations: int) -> Size:
            if relations not in known:
                known[relations] = block.sizes.size(relations), tuple(members(relations))
            size, items = known[relations]
            factor = 1.0
            for item in items:
                factor *= scale[item]
            return Size(size.rows * factor, size.bytes * factor)

        what_if = block.what_if.of_sizes(scaled)
        return Worth(what_if.seconds(order, given(scaled)), what_if.seconds(replaced.written, given_replaced(scaled)))

    return worth


def _is_broadcast(action: Action) -> bool:
    return action.kind is ActionKind.HINT_JOIN and action.value == Hint.BROADCAST


def _replaced(facts: Facts, action: Action, graph: JoinGraph, order: Order) -> JoinGraph | None:
    """The block as the latest run had it that did not have this order; None where no run at hand tells it."""
    for queries in reversed(facts.of_all_runs):
        for _, then in blocks_of(replace(facts, queries=queries, earlier=()), action):
            try:
                had = parse_order(order_text(then.written, then), graph)
            except OrderTextError:
                continue
            if order_shape(had) != order_shape(order):
                return replace(graph, written=had, measured=_measured(then, had))
    return None


def _measured(then: JoinGraph, had: Order) -> dict[int, MeasuredJoin]:
    """What a run measured of the joins of its order, in the numbers that another run has for the relations."""
    each = (tree_of(order, lambda _: Size(0, 0)).joins for order in (then.written, had))
    return {now.mask: then.measured[one.mask] for one, now in zip(*each, strict=True) if one.mask in then.measured}
