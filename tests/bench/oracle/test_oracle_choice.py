"""With true rows the search picks what is best of a small block, and what cannot be told leaves what ran."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts
from tests.plan.trees import plan
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.steering_reach import Reach
from tuner.bench.oracle import oracle_choice as module
from tuner.bench.oracle.oracle_choice import OracleChoice, oracle_choices
from tuner.bench.oracle.oracle_words import choice_lines
from tuner.bench.oracle.true_rows import TrueQuery
from tuner.model.action import ActionKind
from tuner.model.join_graph import Joined, JoinGraph, MeasuredJoin
from tuner.model.query import Query, QueryStatus
from tuner.plan.order_text import parse_order
from tuner.plan.queries import in_full

# Whether sales meet stock first or days, nothing but the rows of sales in those days tells.
PLAN = """
SortMergeJoin | [s_day#3], [d#8], Inner | number of output rows=1000000
  SortMergeJoin | [s_item#1], [i_item#5], Inner | number of output rows=400000000
    Scan parquet shop.sales | [s_item#1,s_amount#2,s_day#3] | number of output rows=100000000
    Scan parquet shop.stock | [i_item#5,i_on_hand#6] | number of output rows=50000000
  Filter | (d_week#9 = 7) | number of output rows=3000000
    Scan parquet shop.days | [d#8,d_week#9] | number of output rows=7000000
"""


def ran() -> Query:
    tree = plan(PLAN)
    measured = Query(1, 1, "f" * 16, "q", 0, 600_000, QueryStatus.SUCCEEDED, executor_run_ms=1_200_000)
    return in_full((measured, tree, tree), ())


def relation(graph: JoinGraph, table: str) -> int:
    return [one.relations[0] for one in graph.relations].index(f"shop.{table}")


def sets(graph: JoinGraph, *tables: str) -> int:
    return sum(1 << relation(graph, table) for table in tables)


def counted(rows: int) -> Query:
    """The query, whose sales have so many rows in its days."""
    query = ran()
    (graph,) = query.graphs
    true = {sets(graph, "sales", "days"): MeasuredJoin(rows)}
    return replace(query, graphs=(replace(graph, measured={**true, **graph.measured}),))


def chosen(query: Query, at_least: frozenset[int] = frozenset()) -> OracleChoice:
    (graph,) = query.graphs
    known = {query.fingerprint: {graph.signature: at_least}}
    (choice,) = oracle_choices(replace(facts(query), reach=Reach.AGENT), known)
    return choice


@pytest.mark.parametrize("rows", [1_000, 2_000_000, 50_000_000])
def test_few_true_rows_make_another_order(rows: int) -> None:
    query = counted(rows)
    (order,) = chosen(query).orders
    (graph,) = query.graphs
    sales, stock, days = (relation(graph, table) for table in ("sales", "stock", "days"))
    (action, *_) = (action for change in chosen(query).changes for action in change.actions)
    assert (action.kind, action.query) == (ActionKind.ORDER_JOINS, query.fingerprint)
    assert parse_order(action.value, graph) in (Joined(Joined(sales, days), stock), Joined(Joined(days, sales), stock))
    assert order.change.other_rows == rows
    assert order.seconds < order.hinted_seconds <= order.ran_seconds


def test_many_true_rows_leave_the_order_that_ran() -> None:
    assert not chosen(counted(900_000_000)).orders


def test_no_order_is_made_through_a_set_that_may_have_any_number_of_rows() -> None:
    query = counted(1_000)
    assert not chosen(query, frozenset({sets(query.graphs[0], "sales", "days")})).orders


def test_it_says_what_was_chosen_and_from_which_counts() -> None:
    query = counted(1_000)
    total, said = choice_lines([TrueQuery("q", query, (), ("why not",))], [chosen(query)])
    assert total.endswith("queries with blocks that could not be counted: 1")
    assert "q: not counted: why not; joined as " in said
    assert "1,000 rows between joins, not 400,000,000; by prices " in said
    (_, nothing) = choice_lines([TrueQuery("q", query, (), ("why not",))], [])
    assert nothing == "q: not counted: why not; it runs by default"


def test_blocks_that_are_alike_stay_as_they_ran_where_the_best_order_makes_what_was_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = counted(1_000)
    (graph,) = query.graphs
    block = OrderPrices(replace(facts(query), reach=Reach.AGENT)).block(graph, query)
    best = block.by_seconds
    monkeypatch.setattr(module, "cheapest_orders", lambda blocks: [best for _ in blocks])
    assert module._common_orders([block, block], {}) == [best, best]
    unknown = {graph.signature: frozenset({sets(graph, "sales", "days")})}
    assert module._common_orders([block, block], unknown) == [block.written, block.written]
