"""A block of joins as it is priced: what is given of an order's joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS, DAYS_FIRST, ITEMS, SALES, STOCK, block, ordered
from tests.advice.joins import facts
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.candidates.cheapest_orders import cheapest_orders
from tuner.advice.candidates.order_broadcasts import order_broadcasts
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.steering_reach import Reach
from tuner.cost.what_if.physical_order import GivenJoin
from tuner.model.action import ActionKind
from tuner.model.join_graph import Condition, Joined, JoinGraph, MeasuredJoin, Order
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.order_text import order_text

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


def by_range(leaf_bytes: int | None) -> JoinGraph:
    """The days of a week by their first and last one, in place of a key; what the planner takes the days for."""
    by_keys = block()
    sales_days = 1 << SALES | 1 << DAYS
    keys = tuple(p for p in by_keys.predicates if p.left | p.right != sales_days)
    relations = list(by_keys.relations)
    relations[DAYS] = replace(relations[DAYS], leaf_bytes=leaf_bytes)
    conditions = (Condition(sales_days, "day >= first"),)
    return replace(by_keys, relations=tuple(relations), predicates=keys, conditions=conditions)


def test_a_relation_that_a_range_alone_joins_may_come_first() -> None:
    """70 million pairs, for two billion rows less."""
    graph = by_range(leaf_bytes=1_000_000)
    query = ordered(graph=graph)
    for one in (None, query):
        priced = OrderPrices(facts(query)).block(graph, one)
        (found,) = cheapest_orders([priced])
        assert order_shape(found.order) == order_shape(DAYS_FIRST)


@pytest.mark.parametrize(("leaf_bytes", "is_first"), [(1_000_000, True), (60_000_000, False), (None, False)])
def test_spark_builds_it_or_makes_a_product(leaf_bytes: int | None, *, is_first: bool) -> None:
    """Without a key, what the planner does not take for small it joins as a Cartesian product."""
    graph = by_range(leaf_bytes)
    job = facts(ordered(graph=graph), reach=Reach.AGENT)
    orders = [change.actions[0].value for change in advise_join_orders(job) if change.kind is ActionKind.ORDER_JOINS]
    assert (order_text(DAYS_FIRST, graph) in orders) is is_first, orders


@pytest.mark.parametrize(("leaf_bytes", "refused"), [(1_000_000, None), (60_000_000, GivenJoin(Strategy.CARTESIAN))])
def test_an_order_that_makes_a_product_is_known_to(leaf_bytes: int, refused: GivenJoin | None) -> None:
    """As one that another run of the query chose."""
    query = ordered(graph=by_range(leaf_bytes))
    job = facts(query, reach=Reach.AGENT)
    prices = OrderPrices(job)
    priced = prices.block(query.graphs[0])
    change = prices.change_to(query, priced, priced.tree(DAYS_FIRST))
    assert change is not None
    (found,) = order_broadcasts(job, prices, [change])
    assert found.refused.get(1 << SALES | 1 << DAYS) == refused
