"""Blocks of a query whose groups were made once: known from an earlier run, in the order that they ran in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS_FIRST, SALES, STOCK, block
from tests.advice.joins import query
from tuner.history import blocks_as_written
from tuner.model.join_graph import Joined, JoinGraph, Order, members
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome

from .samples import measured

LAST = len(block().relations) - 1


def apart(graph: JoinGraph, literals: str = "monday") -> Query:
    return replace(query(fingerprint="q1"), graphs=(graph,), literals=literals)


def merged(*orders: Order, literals: str = "monday") -> Query:
    """One whose blocks ran in these orders: with other filters, so other labels, and its relations the other way round."""
    return replace(query(fingerprint="q1"), merged=True, merged_graphs=tuple(map(_other, orders)), literals=literals)


def _other(order: Order) -> JoinGraph:
    graph = block(order)
    relations = tuple(replace(r, label=f"other {r.label}") for r in reversed(graph.relations))
    turned = tuple(replace(p, left=_turned_set(p.left), right=_turned_set(p.right)) for p in graph.predicates)
    return replace(graph, signature="other", relations=relations, predicates=turned, written=_turned(order))


def _turned(order: Order) -> Order:
    return LAST - order if isinstance(order, int) else Joined(_turned(order.left), _turned(order.right))


def _turned_set(relations: int) -> int:
    return sum(1 << LAST - number for number in members(relations))


def with_the_same_tables(graph: JoinGraph, one: int, other: int) -> JoinGraph:
    relations = list(graph.relations)
    relations[other] = replace(relations[other], relations=relations[one].relations)
    return replace(graph, relations=tuple(relations))


def with_blocks_as_written(outcome: Outcome, earlier: list[Outcome]) -> Outcome:
    return blocks_as_written.with_blocks_as_written(outcome, lambda: earlier)


def of(*queries: Query) -> Outcome:
    return replace(measured(), queries=queries)


def blocks(found: Outcome) -> list[tuple[str, Order]]:
    (one,) = found.queries
    assert not one.merged_graphs
    return [(graph.signature, graph.written) for graph in one.graphs]


@pytest.mark.parametrize("order", [AS_WRITTEN, DAYS_FIRST])
def test_the_block_is_the_earlier_runs_and_the_order_this_runs(order: Order) -> None:
    found = with_blocks_as_written(of(merged(order)), [of(apart(block(AS_WRITTEN)))])
    assert blocks(found) == [("block", order)]
    (graph,) = found.queries[0].graphs
    assert graph.relations == block().relations and graph.measured == block(AS_WRITTEN).measured


@pytest.mark.parametrize("times", [1, 2])
def test_copies_are_as_many_as_ran(times: int) -> None:
    twice = replace(apart(block()), graphs=(block(), block()))
    ran = merged(*[DAYS_FIRST] * times)
    assert blocks(with_blocks_as_written(of(ran), [of(twice)])) == [("block", DAYS_FIRST)] * times


def test_the_latest_of_the_same_values_tells() -> None:
    older, newer = (replace(block(), conditions=(), measured=measured) for measured in ({}, block().measured))
    monday, tuesday = of(apart(older)), of(apart(newer, "tuesday"))
    (graph,) = with_blocks_as_written(of(merged(AS_WRITTEN)), [monday, tuesday]).queries[0].graphs
    assert graph.measured == {}
    (graph,) = with_blocks_as_written(of(merged(AS_WRITTEN, literals="friday")), [monday, tuesday]).queries[0].graphs
    assert graph.measured == newer.measured


def test_a_chain_of_such_runs_hands_them_on() -> None:
    first = with_blocks_as_written(of(merged(DAYS_FIRST)), [of(apart(block()))])
    assert blocks(with_blocks_as_written(of(merged(AS_WRITTEN)), [first])) == [("block", AS_WRITTEN)]


def test_what_no_run_tells_is_left_out() -> None:
    assert blocks(with_blocks_as_written(of(merged(AS_WRITTEN)), [])) == []
    other = replace(apart(block()), fingerprint="q2")
    assert blocks(with_blocks_as_written(of(merged(AS_WRITTEN)), [of(other)])) == []


@pytest.mark.parametrize(
    "ran",
    [
        pytest.param(merged(), id="none that ran reads these tables"),
        pytest.param(merged(AS_WRITTEN, DAYS_FIRST), id="two orders"),
    ],
)
def test_a_block_of_no_known_order_is_left_out(ran: Query) -> None:
    assert blocks(with_blocks_as_written(of(ran), [of(apart(block()))])) == []


@pytest.mark.parametrize("has_keys", [True, False])
def test_reads_of_a_table_are_told_apart_by_their_keys(has_keys: bool) -> None:
    then = with_the_same_tables(block(), SALES, STOCK)
    now = with_the_same_tables(_other(DAYS_FIRST), LAST - SALES, LAST - STOCK)
    if not has_keys:
        then, now = replace(then, predicates=()), replace(now, predicates=())
    ran = replace(merged(), merged_graphs=(now,))
    assert blocks(with_blocks_as_written(of(ran), [of(apart(then))])) == ([("block", DAYS_FIRST)] if has_keys else [])


def test_other_keys_of_the_same_items_tell_no_other_block() -> None:
    ran = replace(merged(), merged_graphs=(replace(_other(DAYS_FIRST), predicates=_other(DAYS_FIRST).predicates[:2]),))
    assert blocks(with_blocks_as_written(of(ran), [of(apart(block()))])) == [("block", DAYS_FIRST)]


def test_a_block_that_the_latest_run_did_not_come_to_is_an_earlier_runs() -> None:
    other = replace(
        block(), signature="another", relations=tuple(replace(r, relations=(f"{r.label}2",)) for r in block().relations)
    )
    both = replace(apart(block()), graphs=(block(), other))
    again = replace(merged(AS_WRITTEN), merged_graphs=(_other(AS_WRITTEN), other))
    broken_off = replace(both, status=QueryStatus.FAILED, graphs=(replace(other, measured={}),))
    nights = [of(both), of(apart(block())), of(broken_off)]
    assert blocks(with_blocks_as_written(of(again), nights)) == [("block", AS_WRITTEN), ("another", AS_WRITTEN)]
    assert all(graph.measured for graph in with_blocks_as_written(of(again), nights).queries[0].graphs)


def test_all_other_queries_stay() -> None:
    found = of(apart(block()))
    assert with_blocks_as_written(found, []) is found


def test_no_history_is_read_for_them() -> None:
    found = of(apart(block()))
    assert blocks_as_written.with_blocks_as_written(found, lambda: pytest.fail("nothing is merged")) is found
