"""Blocks of a query whose groups were made once: known from an earlier run, in the order that they ran in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS_FIRST, block
from tests.advice.joins import query
from tuner.history.blocks_as_written import with_blocks_as_written
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.query import Query
from tuner.model.run import Outcome

from .samples import measured


def apart(graph: JoinGraph, literals: str = "monday") -> Query:
    return replace(query(fingerprint="q1"), graphs=(graph,), literals=literals)


def merged(*orders: Order, literals: str = "monday") -> Query:
    """One whose blocks ran in these orders: with other filters, so other labels, and its relations the other way round."""
    return replace(query(fingerprint="q1"), merged=True, merged_graphs=tuple(map(_other, orders)), literals=literals)


def _other(order: Order) -> JoinGraph:
    graph = block(order)
    relations = tuple(replace(r, label=f"other {r.label}") for r in reversed(graph.relations))
    return replace(graph, signature="other", relations=relations, written=_turned(order, len(relations) - 1))


def _turned(order: Order, last: int) -> Order:
    return (
        last - order if isinstance(order, int) else type(order)(_turned(order.left, last), _turned(order.right, last))
    )


def joined_with_itself(graph: JoinGraph) -> JoinGraph:
    first, second, *others = graph.relations
    return replace(graph, relations=(first, replace(second, relations=first.relations), *others))


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


def test_copies_that_ran_once_are_several_again() -> None:
    twice = replace(apart(block()), graphs=(block(), block()))
    assert blocks(with_blocks_as_written(of(merged(DAYS_FIRST)), [of(twice)])) == [("block", DAYS_FIRST)] * 2


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


@pytest.mark.parametrize("then", [block(), joined_with_itself(block())])
@pytest.mark.parametrize("now", [_other(AS_WRITTEN), joined_with_itself(_other(AS_WRITTEN))])
def test_a_table_that_is_joined_with_itself_tells_no_order(then: JoinGraph, now: JoinGraph) -> None:
    ran = replace(merged(), merged_graphs=(now,))
    is_clear = then == block() and now == _other(AS_WRITTEN)
    found = blocks(with_blocks_as_written(of(ran), [of(apart(then))]))
    assert found == ([("block", AS_WRITTEN)] if is_clear else [])


def test_all_other_queries_stay() -> None:
    found = of(apart(block()))
    assert with_blocks_as_written(found, []) is found
