"""A block of joins as it is priced: what is given of an order's joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS, DAYS_FIRST, ITEMS, SALES, STOCK, block, ordered
from tests.advice.joins import facts
from tuner.advice.candidates.cheapest_orders import cheapest_orders
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.order_shape import order_shape
from tuner.cost.what_if.physical_order import GivenJoin
from tuner.model.join_graph import Condition, Joined, MeasuredJoin, Order
from tuner.model.strategy import BuildSide, Strategy

SALES_AND_STOCK, ALL = 1 << SALES | 1 << STOCK, 0b1111
BROADCAST = MeasuredJoin(1_000, None, Strategy.BROADCAST_HASH, BuildSide.RIGHT)
MERGED = MeasuredJoin(1_000, None, Strategy.SORT_MERGE)


@pytest.mark.parametrize(
    ("order", "left", "right"),
    [
        (AS_WRITTEN, BuildSide.RIGHT, BuildSide.RIGHT),
        (Joined(Joined(ITEMS, Joined(STOCK, SALES)), DAYS), BuildSide.LEFT, BuildSide.RIGHT),
        (Joined(DAYS, Joined(ITEMS, Joined(SALES, STOCK))), BuildSide.RIGHT, BuildSide.LEFT),
    ],
)
def test_a_join_runs_as_it_ran_whichever_side_stands_left(order: Order, left: BuildSide, right: BuildSide) -> None:
    graph = block()
    measured = {**graph.measured, SALES_AND_STOCK: BROADCAST, ALL: BROADCAST, ALL ^ 1 << DAYS: MERGED}
    query = ordered(graph=replace(graph, measured=measured))
    priced = OrderPrices(facts(query)).block(query.graphs[0])
    assert priced.given(priced.tree(order)).joins == {
        SALES_AND_STOCK: GivenJoin(Strategy.BROADCAST_HASH, left),
        ALL ^ 1 << DAYS: GivenJoin(Strategy.SORT_MERGE),
        ALL: GivenJoin(Strategy.BROADCAST_HASH, right),
    }


def test_a_join_of_other_sides_is_no_join_that_ran() -> None:
    graph = block()
    query = ordered(graph=replace(graph, measured={**graph.measured, ALL: BROADCAST}))
    priced = OrderPrices(facts(query)).block(query.graphs[0])
    assert priced.given(priced.tree(Joined(Joined(Joined(SALES, DAYS), ITEMS), STOCK))).joins == {}


def test_a_relation_that_a_range_alone_joins_may_come_first() -> None:
    """The days of a week by their first and last one, in place of a key: 70 million pairs, for two billion rows less."""
    by_keys = block()
    sales_days = 1 << SALES | 1 << DAYS
    keys = tuple(p for p in by_keys.predicates if p.left | p.right != sales_days)
    by_range = replace(by_keys, predicates=keys, conditions=(Condition(sales_days, "day >= first"),))
    query = ordered(graph=by_range)
    for one in (None, query):
        priced = OrderPrices(facts(query)).block(by_range, one)
        (found,) = cheapest_orders([priced])
        assert order_shape(found.order) == order_shape(DAYS_FIRST)
