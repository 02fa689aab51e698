"""The sizes of relations within which an order stays no worse than the one it replaces."""

from __future__ import annotations

from dataclasses import replace

from tuner.advice.facts import Facts, PastRun
from tuner.advice.order_bounds import GROWTHS, order_bounds
from tuner.advice.oversized_hints import MOST_GROWTH
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.join_graph import Joined, JoinGraph, Order
from tuner.model.query import Query
from tuner.plan.order_text import order_text

from .blocks import AS_WRITTEN, DAYS, DAYS_FIRST, ITEMS, NAMES, ROWS, SALES, STOCK, block
from .joins import facts, inner, query, side

LEAF_BYTES = 1_000_000
LEAST, MOST = int(LEAF_BYTES / GROWTHS[-1]), int(LEAF_BYTES * GROWTHS[-1]) + 1
SMALLEST = {name: SizeBounds(LEAST, MOST, int(rows * GROWTHS[-1])) for name, rows in zip(NAMES, ROWS, strict=True)}


def ran(graph: JoinGraph, *unknown: str) -> Query:
    sides = [side(name, leaf_bytes=None if name in unknown else LEAF_BYTES) for name in NAMES]
    joins = [inner(one, other) for one, other in zip(sides[::2], sides[1::2], strict=True)]
    return replace(query(*joins, fingerprint="q"), graphs=(graph,))


def bounds(job: Facts, wanted: Order = DAYS_FIRST) -> dict[str, SizeBounds] | None:
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(wanted, block()), "q")
    return order_bounds(job, [order]).get(order.id)


def test_an_order_that_is_far_better_holds_for_several_times_the_size_of_each_relation() -> None:
    found = bounds(facts(ran(block())))
    assert found is not None and set(found) == set(NAMES)
    assert all(2 * one.least <= LEAF_BYTES and one.most >= 2 * LEAF_BYTES for one in found.values())
    assert all(one.most <= GROWTHS[0] * LEAF_BYTES + 1 for one in found.values())


def test_one_that_is_hardly_better_holds_for_sizes_about_as_measured() -> None:
    # Sales meet seven days: to join the items before or after hardly matters, until there are more of one of them.
    found = bounds(facts(ran(block(DAYS_FIRST))), Joined(Joined(Joined(SALES, ITEMS), DAYS), STOCK))
    assert found == SMALLEST


def test_a_block_that_has_its_order_is_held_against_the_latest_run_without_it() -> None:
    steered = facts(ran(block(DAYS_FIRST)))
    alone = bounds(steered)
    assert alone == SMALLEST
    before = PastRun((ran(block(AS_WRITTEN)),))
    assert bounds(replace(steered, earlier=(before,))) == bounds(facts(ran(block())))


def test_of_several_executions_what_all_allow() -> None:
    larger = ran(block())
    sides = [side(name, leaf_bytes=2 * LEAF_BYTES) for name in NAMES]
    larger = replace(larger, joins=(inner(*sides[:2]), inner(*sides[2:])))
    both, one, other = (bounds(facts(*queries)) for queries in ((ran(block()), larger), (ran(block()),), (larger,)))
    assert both is not None and one is not None and other is not None
    assert both[NAMES[STOCK]] == one[NAMES[STOCK]]._replace(least=other[NAMES[STOCK]].least)


def test_what_the_planner_does_not_tell_the_size_of_bounds_nothing() -> None:
    assert bounds(facts(ran(block(), NAMES[DAYS]))) is None
    huge = replace(ran(block()), joins=tuple(inner(side(n, leaf_bytes=1 << 63), side(n)) for n in NAMES))
    assert bounds(facts(huge)) is None


def test_a_filter_may_keep_as_much_more_than_in_any_run_that_had_such_values() -> None:
    def of(values: str, stock_rows: int) -> Query:
        graph = block()
        relations = (
            *graph.relations[:STOCK],
            replace(graph.relations[STOCK], rows=stock_rows),
            *graph.relations[STOCK + 1 :],
        )
        return replace(ran(replace(graph, relations=relations)), literals=values)

    now, usual = of("a", ROWS[STOCK]), bounds(facts(of("a", ROWS[STOCK])))
    past = [PastRun((of("a", 2 * ROWS[STOCK]),)), PastRun((of("b", 9 * ROWS[STOCK]),))]
    found = bounds(replace(facts(now), earlier=tuple(past)))
    assert found is not None and usual is not None
    assert found[NAMES[STOCK]].most_rows == 2 * usual[NAMES[STOCK]].most_rows
    assert found[NAMES[SALES]] == usual[NAMES[SALES]]
    after_none = bounds(replace(facts(now), earlier=(PastRun((of("a", 0),)),)))
    assert after_none == usual, "a night that kept none is counted, too"
    (never,) = {one[NAMES[STOCK]].most_rows for one in (bounds(facts(of("a", 0))),) if one}
    assert 0 < never <= 1 + MOST_GROWTH
    unknown = replace(
        now, graphs=(replace(block(), relations=tuple(replace(r, rows=None) for r in block().relations)),)
    )
    free = bounds(replace(facts(now), earlier=(PastRun((unknown,)),)))
    assert free is not None and {one.most_rows for one in free.values()} == {0}
