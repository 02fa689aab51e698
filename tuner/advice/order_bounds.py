"""Within which sizes of its relations an order stays no worse than the one it replaces.

An order was measured, or priced, at sizes. In the next run a table may be ten times as large, or empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.ordered_sides import leaf_bytes_of
from tuner.advice.facts import Facts
from tuner.advice.order_worth import Scale, WorthAt, blocks_of, order_worth
from tuner.advice.oversized_hints import MOST_GROWTH
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError, parse_order

# Factors that sizes are tried at, largest first. Within the last an order stands on its measurement, whatever prices say:
# a table that gains a fifth in a night is an ordinary one.
GROWTHS = (MOST_GROWTH, 2.8, 2.0, 1.4, 1.2)
# A source that knows no size says Long.MaxValue (spark.sql.defaultSizeInBytes); of a few such their sum.
UNKNOWN_BYTES = 1 << 60


def order_bounds(facts: Facts, actions: Iterable[Action]) -> dict[str, dict[str, SizeBounds]]:
    """The least and the most bytes that the planner may estimate for each relation of an order, and the most rows that its
    filter may keep, by action id and label.

    Each bound holds with all other relations at theirs. Where several executions have the block, what all of them allow. An
    order that has a relation without a known estimate is left out.
    """
    prices = OrderPrices(facts)
    found: dict[str, dict[str, SizeBounds]] = {}
    for action in actions:
        if action.kind is not ActionKind.ORDER_JOINS:
            continue
        each = [_of_block(prices, action, *block) for block in blocks_of(facts, action)]
        if each and all(each):
            found[action.id] = _common(each)
    return found


def _of_block(prices: OrderPrices, action: Action, query: Query, latest: JoinGraph) -> dict[str, SizeBounds]:
    graph = prices.facts.with_history(query, latest)
    number = len(graph.relations)
    known = [leaf_bytes_of(query, graph, 1 << item) for item in range(number)]
    estimates = [size for size in known if size is not None and size < UNKNOWN_BYTES]
    if len(estimates) < number:
        return {}
    try:
        order = parse_order(action.value, graph)
    except OrderTextError:
        return {}
    worth = order_worth(prices, action, graph, order)
    factors = _Box(worth, number).factors() if worth else [GROWTHS[-1:] * 2] * number
    labels = [relation.label for relation in graph.relations]
    most_rows = _most_rows(prices.facts, action)
    bounds = [
        SizeBounds(int(size / low), int(size * high) + 1, int(most_rows.get(label, 0) * high))
        for label, size, (low, high) in zip(labels, estimates, factors, strict=True)
    ]
    return _common([{label: one} for label, one in zip(labels, bounds, strict=True)])


def _most_rows(facts: Facts, action: Action) -> dict[str, int]:
    """The most rows that each relation of a block kept in any run so far that had such values, by label, one at least; 0 where it
    was not counted in one of these."""
    values = {query.literals for query in facts.queries}
    found: dict[str, list[int | None]] = {}
    each = (blocks_of(replace(facts, queries=queries, earlier=()), action) for queries in facts.of_all_runs)
    for query, graph in chain.from_iterable(each):
        for relation in graph.relations if query.literals in values else ():
            found.setdefault(relation.label, []).append(relation.rows)
    return {label: 0 if None in rows else max([1, *filter(None, rows)]) for label, rows in found.items()}


def _common(each: Iterable[dict[str, SizeBounds]]) -> dict[str, SizeBounds]:
    """What all of them allow."""
    found: dict[str, SizeBounds] = {}
    for bounds in each:
        for label, one in bounds.items():
            other = found.get(label, one)
            most_rows = min(one.most_rows, other.most_rows) or max(one.most_rows, other.most_rows)
            found[label] = SizeBounds(max(one.least, other.least), min(one.most, other.most), most_rows)
    return found


class _Box:
    """How far each relation may shrink and grow: first alone, then all of them at once."""

    def __init__(self, worth: WorthAt, number: int) -> None:
        self._worth = worth
        self._number = number

    def factors(self) -> list[tuple[float, float]]:
        """For each relation the factor that it may be smaller, and that it may be larger."""
        alone = [(self._alone(item, shrinks=True), self._alone(item, shrinks=False)) for item in range(self._number)]
        first = 0
        for most in GROWTHS[:-1]:
            box = [(min(low, most), min(high, most)) for low, high in alone]
            corners = list(self._corners(box))
            # The one that a larger box has failed at is looked at first.
            turned = enumerate(corners[first:] + corners[:first])
            failed = next((number for number, corner in turned if not self._holds(corner)), None)
            if failed is None:
                return box
            first = (first + failed) % len(corners)
        return [(GROWTHS[-1], GROWTHS[-1])] * self._number

    def _alone(self, item: int, *, shrinks: bool) -> float:
        for factor in GROWTHS[:-1]:
            if self._holds(
                [(1 / factor if shrinks else factor) if one == item else 1.0 for one in range(self._number)]
            ):
                return factor
        return GROWTHS[-1]

    def _holds(self, scale: Scale) -> bool:
        return self._worth(scale).is_no_worse

    def _corners(self, box: Sequence[tuple[float, float]]) -> Iterator[list[float]]:
        """All as large, all as small as may be; and each of them against all others.

        What joins put out is a product of its relations' sizes: along each of them the difference of two orders is a line
        between the places where Spark selects another join, so that its worst is at a corner.
        """
        large, small = [high for _, high in box], [1 / low for low, _ in box]
        yield large
        yield small
        for item in range(self._number):
            yield [*large[:item], small[item], *large[item + 1 :]]
            yield [*small[:item], large[item], *small[item + 1 :]]
