"""An order acts on new days only if no day so far would have been slower with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.advice.blocks import DAYS, ITEMS, NAMES, ROWS, SALES, STOCK, block, ordered, wide_block, wide_order
from tests.advice.joins import facts, inner, side
from tests.policy.histories import decided, run
from tuner.advice.facts import Facts, PastRun
from tuner.loop.orders_worse_on_other_days import orders_worse_on_other_days
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Decision, Mode
from tuner.model.join_graph import Joined
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.plan.order_text import order_text
from tuner.policy.known_queries import newest_of_classed

# Stock joins late because there is much of it.
ITEMS_FIRST = Joined(Joined(Joined(SALES, ITEMS), STOCK), DAYS)
ORDER = Action(ActionKind.ORDER_JOINS, "block", order_text(ITEMS_FIRST, block()), "q1")
LITTLE_STOCK = {STOCK: 1_000, SALES: 4 * ROWS[SALES]}


def day(number: int, rows: Mapping[int, int] | None = None, literals: str = "any day") -> Run:
    graph = block()
    kept = [replace(r, rows=(rows or {}).get(item, r.rows)) for item, r in enumerate(graph.relations)]
    query = replace(ordered(graph=replace(graph, relations=tuple(kept))), literals=literals)
    found = run(number, {"q1": 10})
    assert found.outcome is not None
    return replace(found, outcome=replace(found.outcome, queries=(query,)))


def found(
    *runs: Run, neutral: tuple[str, ...] = ("shop.sales.day",), fleeting: tuple[str, ...] = ()
) -> dict[str, Reason]:
    one = replace(decided(ORDER), literals=("any day",), neutral=neutral, fleeting=fleeting)
    return orders_worse_on_other_days(Decision(Mode.AUTO, (one,)), known(runs[-1]), runs, newest_of_classed(runs))


def known(latest: Run) -> Facts:
    (query,) = queries(latest)
    return replace(facts(query), earlier=(PastRun(queries(day(0))),))


def queries(of: Run) -> tuple[Query, ...]:
    assert of.outcome is not None
    return of.outcome.queries


def test_one_day_on_which_it_is_slower_holds_it() -> None:
    (reason,) = found(day(1), day(2, LITTLE_STOCK), day(3)).values()
    assert reason.code is ReasonCode.WORSE_ON_OTHER_DAYS and reason.numbers["executions"] == 3
    assert float(reason.numbers["seconds"]) > float(reason.numbers["replaced_seconds"]) + 0.5


def sized(one: Run, times: int = 1) -> Run:
    """The planner takes each relation for so many megabytes. What was counted of its joins is not known."""
    sides = [side(name, leaf_bytes=times * 1_000_000) for name in NAMES]
    joins = tuple(inner(*pair) for pair in zip(sides[::2], sides[1::2], strict=True))
    (query,) = queries(one)
    graphs = tuple(replace(graph, measured={}) for graph in query.graphs) if times > 1 else query.graphs
    assert one.outcome is not None
    return replace(one, outcome=replace(one.outcome, queries=(replace(query, joins=joins, graphs=graphs),)))


def test_a_day_of_sizes_at_which_it_is_not_applied_holds_nothing() -> None:
    assert found(sized(day(1)), sized(day(2, LITTLE_STOCK)), sized(day(3))).keys() == {ORDER.id}
    assert found(sized(day(1)), sized(day(2, LITTLE_STOCK), 20), sized(day(3))) == {}
    assert found(day(1), day(2, LITTLE_STOCK), sized(day(3))).keys() == {ORDER.id}, "its sizes are not known"


def test_days_that_are_alike_and_other_classes_of_values_hold_nothing() -> None:
    assert found(day(1), day(2), day(3)) == {}
    assert found(day(1), day(2, LITTLE_STOCK, literals="a tenant"), day(3)) == {}


def test_an_order_that_acts_on_measured_values_alone_is_left_to_its_measurements() -> None:
    assert found(day(1), day(2, LITTLE_STOCK), day(3), neutral=()) == {}


def test_so_it_is_with_values_that_are_others_in_each_run() -> None:
    runs = day(1), day(2, LITTLE_STOCK), day(3)
    assert found(*runs, neutral=()) == {}
    assert found(*runs, neutral=(), fleeting=("shop.sales.name",)).keys() == {ORDER.id}


def test_the_broadcasts_that_are_in_force_with_an_order_are_priced_with_it() -> None:
    order, hint = wide_order()
    query = replace(ordered(graph=wide_block()), literals="any day")
    wide = run(1, {"q1": 10})
    assert wide.outcome is not None
    runs = (replace(wide, outcome=replace(wide.outcome, queries=(query,))),)
    asked, broadcast = replace(decided(order), literals=("any day",), neutral=("shop.sales.k1",)), decided(hint)
    for decision, held in (((asked,), {order.id}), ((asked, broadcast), set())):
        worse = orders_worse_on_other_days(Decision(Mode.AUTO, decision), facts(query), runs, newest_of_classed(runs))
        assert worse.keys() == held


def wide_day(number: int, megabytes: int, rows: Mapping[int, int] | None = None) -> Run:
    """A day on which the planner took each relation for so many megabytes."""
    graph = wide_block()
    relations = tuple(
        replace(relation, rows=(rows or {}).get(item, relation.rows), leaf_bytes=megabytes * 1_000_000)
        for item, relation in enumerate(graph.relations)
    )
    query = replace(ordered(graph=replace(graph, relations=relations)), literals="any day")
    found = run(number, {"q1": 10})
    assert found.outcome is not None
    return replace(found, outcome=replace(found.outcome, queries=(query,)))


def test_it_is_applied_at_the_sizes_that_its_broadcasts_let_it_be() -> None:
    """Of all days' sales no relation can be broadcast, and parts would have left hardly any stock."""
    order, hint = wide_order()
    asked, broadcast = replace(decided(order), literals=("any day",), neutral=("shop.sales.k1",)), decided(hint)
    decision = Decision(Mode.AUTO, (asked, broadcast))
    for many, held in (({}, set()), ({1: 7_000, 3: 1}, {order.id})):
        runs = wide_day(1, 1), wide_day(2, 2, many), wide_day(3, 1)
        job = facts(*queries(runs[-1]))
        assert orders_worse_on_other_days(decision, job, runs, newest_of_classed(runs)).keys() == held
