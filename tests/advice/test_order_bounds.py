"""The sizes of relations within which an order stays no worse than the one it replaces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.facts import Facts, PastRun
from tuner.advice.head_room import MOST_GROWTH
from tuner.advice.no_worse_factors import GROWTHS
from tuner.advice.order_bounds import MOST_RANGES, SizeRange, order_bounds
from tuner.advice.order_worth import Worth, order_worth
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import Joined, JoinGraph, Order
from tuner.model.query import Query
from tuner.model.strategy import Strategy
from tuner.plan.order_text import order_text

from .blocks import (
    AS_WRITTEN,
    DAYS,
    DAYS_FIRST,
    ITEMS,
    NAMES,
    ROWS,
    SALES,
    STOCK,
    WIDE_NAMES,
    block,
    wide_block,
    wide_order,
)
from .joins import facts, inner, query, side

LEAF_BYTES = 1_000_000
LEAST, MOST = int(LEAF_BYTES / GROWTHS[-1]), int(LEAF_BYTES * GROWTHS[-1]) + 1
SMALLEST = {name: SizeBounds(LEAST, MOST, int(rows * GROWTHS[-1])) for name, rows in zip(NAMES, ROWS, strict=True)}


def ran(graph: JoinGraph, *unknown: str, times: float = 1) -> Query:
    """With so many times the bytes."""
    sides = [side(name, leaf_bytes=None if name in unknown else int(times * LEAF_BYTES)) for name in NAMES]
    joins = [inner(one, other) for one, other in zip(sides[::2], sides[1::2], strict=True)]
    return replace(query(*joins, fingerprint="q"), graphs=(graph,))


def night(times: float, **rows: int) -> Query:
    """One that had so many times the rows and bytes, of some relations so many rows, and the order as it is written."""
    graph = block()
    relations = [replace(r, rows=rows.get(r.label.split(".")[1], int(times * (r.rows or 0)))) for r in graph.relations]
    measured = {mask: replace(one, rows=int(times * (one.rows or 0))) for mask, one in graph.measured.items()}
    return ran(replace(graph, relations=tuple(relations), measured={} if rows else measured), times=times)


def ranges(job: Facts, wanted: Order = DAYS_FIRST) -> tuple[SizeRange, ...]:
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(wanted, block()), "q")
    return order_bounds(job, [order]).get(order.id, ())


def bounds(job: Facts, wanted: Order = DAYS_FIRST) -> SizeRange | None:
    """The only range there is."""
    found = ranges(job, wanted)
    assert len(found) < 2
    return found[0] if found else None


def after(*nights: Query, now: Query | None = None) -> Facts:
    return replace(facts(now or night(1)), earlier=tuple(PastRun((one,)) for one in nights))


def holds(found: tuple[SizeRange, ...], times: float) -> bool:
    return any(all(one.least <= times * LEAF_BYTES <= one.most for one in each.values()) for each in found)


def test_an_order_that_is_far_better_holds_for_several_times_the_size_of_each_relation() -> None:
    found = bounds(facts(ran(block())))
    assert found is not None and set(found) == set(NAMES)
    assert all(2 * one.least <= LEAF_BYTES and one.most >= 2 * LEAF_BYTES for one in found.values())
    assert all(one.most <= GROWTHS[0] * LEAF_BYTES + 1 for one in found.values())


def test_one_that_is_hardly_better_holds_for_sizes_about_as_measured() -> None:
    # Sales meet seven days: to join the items before or after hardly matters, until there are more of one of them.
    found = bounds(facts(ran(block(DAYS_FIRST))), Joined(Joined(Joined(SALES, ITEMS), DAYS), STOCK))
    assert found == SMALLEST


def test_an_order_that_lives_from_a_broadcast_holds_for_what_its_hint_holds_for() -> None:
    order, hint = wide_order()
    sides = [side(name, leaf_bytes=LEAF_BYTES) for name in WIDE_NAMES]
    joins = [inner(one, other) for one, other in zip(sides[::2], sides[1::2], strict=True)]
    job = facts(replace(query(*joins, fingerprint="q1"), graphs=(wide_block(),)))
    (alone,), (hinted,) = (order_bounds(job, asked)[order.id] for asked in ([order], [order, hint]))
    assert {one[:2] for one in alone.values()} == {(LEAST, MOST)}
    assert all(2 * one.least <= LEAF_BYTES and one.most >= 2 * LEAF_BYTES for one in hinted.values())


def test_a_block_that_has_its_order_is_held_against_the_latest_run_without_it() -> None:
    steered = facts(ran(block(DAYS_FIRST)))
    alone = bounds(steered)
    assert alone == SMALLEST
    before = PastRun((ran(block(AS_WRITTEN)),))
    assert bounds(replace(steered, earlier=(before,))) == bounds(facts(ran(block())))


def test_what_an_order_replaces_is_priced_as_it_ran_also_once_the_order_is_in_force() -> None:
    """By the rules of Spark, if it knew all sizes, the order of before would look better than it was."""
    graph = block(AS_WRITTEN)
    merged = {joined: replace(one, strategy=Strategy.SORT_MERGE) for joined, one in graph.measured.items()}
    before, steered = ran(replace(graph, measured=merged)), ran(block(DAYS_FIRST))
    replaced = worth_now(facts(before)).replaced
    in_force, by_rules = (replace(facts(steered), earlier=(PastRun((then,)),)) for then in (before, ran(graph)))
    assert worth_now(in_force).replaced == replaced
    assert worth_now(by_rules).replaced < replaced


def worth_now(job: Facts) -> Worth:
    """At the sizes of the latest run, with all that was measured."""
    (of_latest,) = job.queries
    graph = job.with_history(of_latest, of_latest.graphs[0])
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(DAYS_FIRST, block()), "q")
    worth = order_worth(OrderPrices(job), order, graph, DAYS_FIRST)
    assert worth is not None
    return worth([1.0] * len(graph.relations))


def test_of_several_executions_what_the_prices_of_all_allow() -> None:
    hardly, well = night(2, stock=3), night(1.9)
    alone, either, other = (
        {label: one[:2] for label, one in (bounds(facts(*each)) or {}).items()}
        for each in ((hardly,), (hardly, well), (well, hardly))
    )
    assert alone and alone == either == other
    assert {one.most for one in (bounds(facts(night(1), night(2))) or {}).values()} == {8 * LEAF_BYTES + 1}, (
        "that one was not asked of more is no price"
    )


@pytest.mark.parametrize("sizes", [(1, 3, 9), (9, 1, 3), (1, 3, 9, 27), (64, 16, 4, 1)])
def test_executions_whose_ranges_reach_from_one_to_the_next_all_have_one(sizes: tuple[float, ...]) -> None:
    found = ranges(facts(*map(night, sizes)))
    assert all(holds(found, times) for times in sizes)
    assert len(found) <= 2


def test_an_execution_that_an_order_hardly_suits_keeps_its_range_from_another_that_it_suits_well() -> None:
    found = ranges(facts(night(1), night(2, stock=3)))
    assert holds(found, 1) and not holds(found, 1.3)


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


def test_a_full_load_and_the_deltas_around_it_have_ranges_of_their_own() -> None:
    alone = ranges(after())
    assert holds(alone, 1) and not holds(alone, 20)
    after_full = ranges(after(night(20), night(1), night(1.1)))
    assert len(after_full) == 2
    usual, full = after_full
    assert {label: one._replace(most_rows=0) for label, one in usual.items()} == {
        label: one._replace(most_rows=0) for label, one in alone[0].items()
    }
    sales = NAMES[SALES]
    assert usual[sales].most_rows < 2 * alone[0][sales].most_rows < full[sales].most_rows, (
        "each by rows of its own nights"
    )
    assert holds(after_full, 20) and holds(after_full, 1) and not holds(after_full, 200)
    on_the_morning_after = ranges(after(night(1), now=night(20)))
    assert holds(on_the_morning_after, 20) and holds(on_the_morning_after, 1)


def test_an_order_holds_where_an_earlier_run_was_only_if_its_prices_are_no_worse_there() -> None:
    few_of_stock = night(20, stock=3)
    assert not holds(ranges(after(few_of_stock)), 20)
    assert holds(ranges(after(night(20))), 20)


def test_what_ran_since_counts_more_than_what_its_prices_are_far_from_it() -> None:
    few_of_stock = night(20, stock=3)
    found = ranges(after(night(20), few_of_stock))
    assert not holds(found, 20)
    nearby = ranges(after(night(60), few_of_stock))
    assert holds(nearby, 60) and not holds(nearby, 20)


def timed(times: float, seconds: float, *, followed: bool) -> Query:
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(DAYS_FIRST, block()), "q")
    told = DirectiveResult(order.id, DirectiveStatus.APPLIED if followed else DirectiveStatus.HELD)
    one = night(times)
    size = int(one.input_bytes * times)
    return replace(one, duration_ms=int(seconds * 1000), directives=(told,), input_bytes=size, source_bytes=size)


def test_an_order_is_not_applied_to_a_full_load_that_was_slower_with_it_than_another_was_without() -> None:
    delta = timed(1, 30, followed=True)
    slow, usual = timed(20, 900, followed=True), timed(20.5, 600, followed=False)
    assert holds(ranges(after(slow, delta, now=delta)), 20), "no run without it tells"
    for earlier in ((usual, delta, slow), (slow, delta, usual)):
        for now in (delta, timed(7, 200, followed=True)):
            found = ranges(after(*earlier, delta, now=now))
            assert holds(found, 1) and not holds(found, 20)
        assert not holds(ranges(after(*earlier, timed(70, 2000, followed=True), now=delta)), 20)
        assert holds(ranges(after(*earlier, timed(70, 2000, followed=True), now=delta)), 70)


def test_nor_to_the_next_one_after_it_but_where_all_are_as_large_that_is_judged_elsewhere() -> None:
    delta = timed(1, 30, followed=True)
    slow, usual = timed(20, 900, followed=True), timed(20.5, 600, followed=False)
    found = ranges(after(usual, delta, slow, delta, now=usual))
    assert holds(found, 1) and not holds(found, 20)
    assert holds(ranges(after(usual, slow, now=slow)), 20)


def test_other_values_of_an_earlier_run_tell_nothing() -> None:
    assert not holds(ranges(after(replace(night(20), literals="others"))), 20)


def test_executions_of_other_sizes_do_not_shut_each_other_out() -> None:
    found = ranges(facts(night(1), night(20)))
    assert holds(found, 1) and holds(found, 20) and len(found) == 2
    # One that it does not suit stands on nothing, unless it is the latest one.
    assert not holds(ranges(facts(night(20, stock=3), night(1))), 20)


def test_a_night_without_a_size_leaves_what_is_known_of_others() -> None:
    empty = ran(block(), *NAMES)
    assert not ranges(after(now=empty))
    assert ranges(facts(night(1), empty)) == ranges(after())
    assert ranges(after(night(1), now=empty)) == ranges(after())


def test_so_many_ranges_are_said_and_no_more() -> None:
    found = ranges(after(*(night(20.0**n) for n in range(1, 7)), now=night(1)))
    assert len(found) == MOST_RANGES
    assert holds(found, 20.0**6), "the newest"


def test_readings_of_a_table_that_only_their_values_tell_apart_each_have_room() -> None:
    """A day and a month of sales: no size is both a day's and a month's."""
    graph = block()
    first, second, *others = graph.relations
    day, month = replace(first, leaf_bytes=LEAF_BYTES), replace(second, label=first.label, leaf_bytes=30 * LEAF_BYTES)
    twice = replace(graph, relations=(day, month, *others))
    order = Action(ActionKind.ORDER_JOINS, "block", order_text(DAYS_FIRST, twice), "q")
    (found,) = order_bounds(facts(ran(twice)), [order])[order.id]
    assert found[first.label].least <= LEAF_BYTES
    assert found[first.label].most >= 30 * LEAF_BYTES
