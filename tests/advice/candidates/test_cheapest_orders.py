"""A block of joins as it is priced: what is given of an order's joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS, ITEMS, SALES, STOCK, block, ordered
from tests.advice.joins import facts
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.cost.what_if.physical_order import GivenJoin
from tuner.model.join_graph import Joined, MeasuredJoin, Order
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
