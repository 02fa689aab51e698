"""What an order of joins would have made of other days: their filters had other values, and kept other rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import product

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.facts import Facts, is_whole
from tuner.advice.head_room import MOST_GROWTH
from tuner.advice.order_worth import Scale, Worth, WorthAt, blocks_of, order_worth
from tuner.model.action import Action
from tuner.model.join_graph import GraphRelation, JoinGraph
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError, parse_order

# Relations that are taken for few and many rows in all combinations.
MOST_CORNERS = 6


def worst_day(facts: Facts, order: Action, executions: Sequence[Query], beside: Iterable[Action] = ()) -> Worth | None:
    """What an order of joins is worth by its prices on the day that it suits least; None where no run tells what it replaces.

    `executions` are of one class of values, oldest first. Each of them is priced with as many rows of each relation as it had,
    and with what predicates kept in the latest that had rows of all relations; broadcasts that are hinted `beside` the order come
    with it.
    """
    found = (
        worth(_scale(graph, one)) for graph, then, worth in _blocks(facts, order, executions, beside) for one in then
    )
    return max(found, key=_loss, default=None)


def worst_within_reach(
    facts: Facts,
    order: Action,
    executions: Sequence[Query],
    columns: Collection[str],
    beside: Iterable[Action] = (),
) -> Worth | None:
    """What an order is worth at worst where each relation that filters on these columns (`FilterCondition.columns`) leave rows of
    has few or many: MOST_GROWTH times fewer or more than in any of the executions, and no more than were scanned.

    As `worst_day`, at each corner of these; of more than MOST_CORNERS relations those with the most rows move, the others are as
    in the latest execution.
    """
    filtered = {one.rpartition(".")[0] for several in columns for one in several.split(",")}
    found = (
        worth(corner)
        for graph, then, worth in _blocks(facts, order, executions, beside)
        for corner in _corners(graph, then, filtered)
    )
    return max(found, key=_loss, default=None)


def _blocks(
    facts: Facts, order: Action, executions: Sequence[Query], beside: Iterable[Action]
) -> Iterator[tuple[JoinGraph, list[JoinGraph], WorthAt]]:
    """The blocks that an order is for in the execution that tells most, each as all had it, and what the order is worth there."""
    measured = replace(facts, queries=tuple(sorted(filter(is_whole, executions), key=lambda q: _told(q, order))[-1:]))
    prices = OrderPrices(measured)
    for query, latest in blocks_of(measured, order):
        graph = measured.with_history(query, latest)
        try:
            wanted = parse_order(order.value, graph)
        except OrderTextError:
            continue
        if (worth := order_worth(prices, order, graph, wanted, beside)) is not None:
            yield graph, [g for q in executions for g in q.graphs if g.signature == order.target], worth


def _told(query: Query, order: Action) -> tuple[bool, int]:
    """How much an execution tells of the sizes of a block, to compare: that of an empty relation is none at any scale, and what
    AQE left out for it was not counted."""
    rows = [relation.rows for graph in query.graphs if graph.signature == order.target for relation in graph.relations]
    return bool(rows) and 0 not in rows, sum(count is not None for count in rows)


def _loss(worth: Worth) -> float:
    return worth.seconds - worth.replaced


def _corners(now: JoinGraph, then: Sequence[JoinGraph], filtered: Set[str]) -> Iterator[Scale]:
    scales = [_scale(now, one) for one in then]
    moving = [
        item
        for item, one in enumerate(now.relations)
        if one.rows is not None and not filtered.isdisjoint(one.relations)
    ]
    moving = sorted(moving, key=lambda item: -(now.relations[item].rows or 0))[:MOST_CORNERS]
    reach = []
    for item in moving:
        rows = (now.relations[item].rows or 0) + 1
        most = ((now.relations[item].scanned_rows or rows * MOST_GROWTH) + 1) / rows
        few, many = (pick(scale[item] for scale in scales) for pick in (min, max))
        reach.append((few / MOST_GROWTH, max(few, min(many * MOST_GROWTH, most))))
    for corner in product(*reach):
        scale = [1.0] * len(now.relations)
        for item, times in zip(moving, corner, strict=True):
            scale[item] = times
        yield scale


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
