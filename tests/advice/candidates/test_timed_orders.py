"""The weight that orders are searched with: what the orders that were timed say, as far as they are many."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.advisors.test_card_weight import NARROW_FIRST, NARROWER_FIRST, SLOW_WIDE, WIDE_FIRST, history
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.candidates.timed_orders import search_weight, timed_orders
from tuner.advice.facts import PastRun
from tuner.cost.card_weight import fit_weight, shrunk_weight
from tuner.spark.knobs import JOIN_REORDER_WEIGHT


def test_timed_orders_move_the_weight_part_of_the_way() -> None:
    fitted = fit_weight(timed_orders(SLOW_WIDE), 0.9)
    assert fitted is not None and fitted.weight < 0.9
    assert fitted.weight < search_weight(SLOW_WIDE) == shrunk_weight(fitted, 0.9) < 0.9


def test_the_block_is_searched_with_it() -> None:
    prices = OrderPrices(SLOW_WIDE)
    ((_, graph),) = prices.blocks()
    assert prices.block(graph).weight == search_weight(SLOW_WIDE)


@pytest.mark.parametrize("orders", [{WIDE_FIRST: 100}, {NARROW_FIRST: 100, WIDE_FIRST: 105}])
def test_without_pairs_that_tell_it_is_the_one_in_force(orders: dict[object, float]) -> None:
    found = history(orders)  # type: ignore[arg-type]
    assert search_weight(found) == 0.9
    assert search_weight(replace(found, conf={})) == JOIN_REORDER_WEIGHT.default


def test_runs_in_one_order_alone_are_not_read_again() -> None:
    again = replace(SLOW_WIDE, earlier=(PastRun(SLOW_WIDE.queries, SLOW_WIDE.conf),) * 3)
    assert timed_orders(again) == []


def test_a_change_tells_both_orders_cost_by_the_formula() -> None:
    prices = OrderPrices(history({NARROWER_FIRST: 60}))
    ((query, graph),) = prices.blocks()
    change = prices.change(query, graph, lambda *_: prices.block(graph).tree(WIDE_FIRST))
    assert change is not None
    told = {e.what: e.value for e in change.evidence}
    rows, other_rows = change.rows, change.other_rows
    weight = told["weight of rows against bytes in Spark's formula"]
    assert weight == 0.9
    assert told["cost by that formula, as they ran"] > weight * rows
    assert told["cost by that formula, in the other order"] > weight * other_rows
    assert told["seconds of these joins by prices, as they ran"] == prices.block(graph).seconds(change.written)
    assert told["seconds of these joins by prices, in the other order"] == prices.block(graph).seconds(change.other)
