"""What an order of joins would have made of other days: their filters had other values, and kept other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.facts import Facts
from tuner.advice.order_worth import Scale, Worth, blocks_of, order_worth
from tuner.model.action import Action
from tuner.model.join_graph import GraphRelation, JoinGraph
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError, parse_order


def worst_day(facts: Facts, order: Action, executions: Sequence[Query]) -> Worth | None:
    """What an order of joins is worth by its prices on the day that it suits least; None where no run tells what it replaces.

    `executions` are of one class of values, oldest first. Each of them is priced with as many rows of each relation as it had,
    and with what predicates kept in the latest.
    """
    measured = replace(facts, queries=tuple(executions[-1:]))
    prices = OrderPrices(measured)
    found: list[Worth] = []
    for query, latest in blocks_of(measured, order):
        graph = measured.with_history(query, latest)
        try:
            wanted = parse_order(order.value, graph)
        except OrderTextError:
            continue
        if (worth := order_worth(prices, order, graph, wanted)) is not None:
            then = (g for q in executions for g in q.graphs if g.signature == order.target)
            found += [worth(_scale(graph, one)) for one in then]
    return max(found, key=lambda one: one.seconds - one.replaced, default=None)


def _scale(now: JoinGraph, then: JoinGraph) -> Scale:
    """How many times as many rows each relation had then; 1 where that is not known."""
    scale = [1.0] * len(now.relations)
    pairs = zip(_by_label(now), _by_label(then), strict=True)
    for (item, today), (_, before) in pairs:
        if today.rows is not None and before.rows is not None:
            scale[item] = (before.rows + 1) / (today.rows + 1)
    return scale


def _by_label(graph: JoinGraph) -> list[tuple[int, GraphRelation]]:
    return sorted(enumerate(graph.relations), key=lambda one: (one[1].label, one[1].rows or 0))
