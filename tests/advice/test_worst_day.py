"""What an order would have made of days whose filters kept other rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tuner.advice.facts import PastRun
from tuner.advice.order_worth import Worth
from tuner.advice.worst_day import worst_day, worst_within_reach
from tuner.model.action import Action, ActionKind
from tuner.model.join_graph import Joined, MeasuredJoin, Order
from tuner.model.query import Query, QueryStatus
from tuner.plan.order_text import order_text

from .blocks import (
    AS_WRITTEN,
    DAYS,
    DAYS_FIRST,
    ITEMS,
    ROWS,
    SALES,
    STOCK,
    block,
    ordered,
    wide_block,
    wide_order,
)
from .joins import facts

# Items after stock, or before: what comes first should leave out more.
ITEMS_FIRST = Joined(Joined(Joined(SALES, ITEMS), STOCK), DAYS)


def day(rows: Mapping[int, int] | None = None, written: Order = AS_WRITTEN) -> Query:
    graph = block(written)
    kept = [replace(r, rows=(rows or {}).get(item, r.rows)) for item, r in enumerate(graph.relations)]
    return ordered(written, graph=replace(graph, relations=tuple(kept)))


def worth(*executions: Query, wanted: Order = DAYS_FIRST) -> Worth | None:
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(wanted, block()), "q1")
    before = PastRun((day(),))
    return worst_day(replace(facts(*executions), earlier=(before,)), order, executions)


def test_days_like_the_latest_are_worth_what_it_is() -> None:
    usual = worth(day())
    assert usual is not None and usual.seconds < usual.replaced / 100
    assert worth(day(), day()) == usual


def test_of_all_days_it_is_the_one_that_loses_most() -> None:
    # Stock is joined late because there is much of it. With hardly any, and four times the sales, it had better come first.
    little_stock = day({STOCK: 1_000, SALES: 4 * ROWS[SALES]})
    found = worth(day(), little_stock, day(), wanted=ITEMS_FIRST)
    assert found is not None and not found.is_no_worse and found.seconds > found.replaced + 1
    assert (alone := worth(day(), wanted=ITEMS_FIRST)) is not None and alone.is_no_worse


def test_an_order_that_replaces_none_that_is_known_is_not_judged() -> None:
    steered = day(written=DAYS_FIRST)
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(DAYS_FIRST, block()), "q1")
    assert worst_day(facts(steered), order, [steered]) is None
    assert worth(steered) is not None, "a run before it had another"


def with_sales(times: int) -> Query:
    graph = wide_block()
    sales, *others = graph.relations
    return ordered(graph=replace(graph, relations=(replace(sales, rows=times * (sales.rows or 0)), *others)))


@pytest.mark.parametrize(
    ("times", "hinted", "is_no_worse"),
    [
        pytest.param(1, True, True, id="15 MB are broadcast by its hint"),
        pytest.param(2, True, True, id="30 MB, too"),
        pytest.param(1, False, False, id="without the hint Spark shuffles all stock for them"),
        pytest.param(16, True, False, id="memory does not hold 240 MB, nor will the agent"),
    ],
)
def test_an_order_comes_with_the_broadcasts_that_are_hinted_beside_it(
    times: int, hinted: bool, is_no_worse: bool
) -> None:
    (order, hint), job = wide_order(), facts(with_sales(1))
    found = worst_day(job, order, [with_sales(times), with_sales(1)], [hint] if hinted else [])
    assert found is not None and found.is_no_worse is is_no_worse
    of_others = replace(hint, query="q2")
    alone = worst_day(job, order, [with_sales(times), with_sales(1)], [of_others])
    assert alone is not None and not alone.is_no_worse


def within_reach(*executions: Query, columns: str) -> Worth | None:
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(ITEMS_FIRST, block()), "q1")
    before = PastRun((day(),))
    return worst_within_reach(replace(facts(*executions), earlier=(before,)), order, executions, (columns,))


def test_rows_that_no_day_had_are_within_reach_of_those_that_they_had() -> None:
    """As little stock as makes the order a loss is four times less than on any of these days."""
    days = [day({STOCK: 24_000, SALES: 4 * ROWS[SALES]}), day({SALES: 4 * ROWS[SALES]})]
    assert (usual := worth(*days, wanted=ITEMS_FIRST)) is not None and usual.is_no_worse
    found = within_reach(*days, columns="shop.stock.kind")
    assert found is not None and not found.is_no_worse
    assert (alone := within_reach(days[1], columns="shop.stock.kind")) is not None and alone.is_no_worse
    assert (other := within_reach(*days, columns="shop.items.kind")) is not None and other.is_no_worse


# Little stock would make this the better order; of all stock that was ever there it makes two billion rows.
STOCK_FIRST = Joined(Joined(Joined(SALES, STOCK), DAYS), ITEMS)
STOCK_LAST = Joined(Joined(Joined(SALES, ITEMS), DAYS), STOCK)


def without_stock(*, cut_short: bool) -> Query:
    """A night whose filter left no stock, which AQE may have noticed before it joined the others."""
    graph = block(STOCK_LAST)
    rows = {STOCK: 0, **({DAYS: None, ITEMS: None} if cut_short else {})}
    kept = tuple(replace(r, rows=rows.get(item, r.rows)) for item, r in enumerate(graph.relations))
    measured = {joined: MeasuredJoin(0) if joined >> STOCK & 1 else m for joined, m in graph.measured.items()}
    return ordered(STOCK_LAST, graph=replace(graph, relations=kept, measured={} if cut_short else measured))


@pytest.mark.parametrize(
    "night",
    [
        pytest.param(without_stock(cut_short=False), id="no stock"),
        pytest.param(without_stock(cut_short=True), id="no stock, which AQE noticed"),
        pytest.param(replace(day(), graphs=()), id="the block did not run"),
        pytest.param(replace(day(), status=QueryStatus.FAILED), id="it failed"),
    ],
)
def test_a_night_that_tells_of_no_sizes_hides_none_of_the_days_before_it(night: Query) -> None:
    usual = day(written=STOCK_LAST)
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(STOCK_FIRST, block()), "q1")
    earlier = (PastRun((usual,)),)
    before, after = (
        worst_day(replace(facts(days[-1]), earlier=earlier), order, days) for days in ([usual], [usual, night])
    )
    assert before is not None and before.seconds > 50 * before.replaced
    assert after is not None and after.seconds > 50 * after.replaced
