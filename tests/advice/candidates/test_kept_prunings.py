"""Orders read no more partitions than the order that ran."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from textwrap import indent

import pytest

from tests.advice.advisors.test_join_order import ran, told
from tests.advice.joins import facts
from tests.conftest import AT_LENGTH
from tests.cost.join_graphs import clique, random_tree
from tests.plan.trees import plan
from tuner.advice.advisors.cbo import advise_cbo
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.candidates.cheapest_orders import cheapest_orders
from tuner.advice.candidates.hinted_broadcasts import BroadcastSides
from tuner.advice.candidates.kept_prunings import Pruning, keeping_edges, keeps, prunings
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_edges import Edge, JoinEdges, bits
from tuner.cost.join_tree import JoinTree, joined, leaf, tree_of
from tuner.cost.size import Size
from tuner.model.change import Change
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import Joined
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.query import Query
from tuner.plan.joins import find_joins

# A month of sales is read. Of its weeks few are asked for: above, and where there is stock above that, too.
SALES_OF_DAYS = """
BroadcastHashJoin | [s_day#3], [d#30], Inner, BuildRight | number of output rows=300000000
  Scan parquet shop.sales | [s_item#1,s_day#3] | number of output rows=300000000
    {filter}
  BroadcastExchange | HashedRelationBroadcastMode | data size=1000
    Filter | (d_month#31 = 7) | number of output rows=30
      Scan parquet shop.days | [d#30,d_month#31,d_week#32] | number of output rows=7000
"""
WITH_STOCK = """
SortMergeJoin | [s_item#1], [i_item#5], Inner | number of output rows=30000000000
{sales}
  Scan parquet shop.stock | [i_item#5,i_on_hand#6] | number of output rows=50000000
"""
OF_WEEKS = """
BroadcastHashJoin | [d_week#32], [x_week#40], Inner, BuildRight | number of output rows=30000000
{sales}
  BroadcastExchange | HashedRelationBroadcastMode | data size=100
    Filter | (x_open#41 = true) | number of output rows=2
      Scan parquet shop.weeks | [x_week#40,x_open#41] | number of output rows=500
"""
PARTITIONS = """SubqueryBroadcast | dynamicpruning#20, 0, [d#30]
      BroadcastExchange | HashedRelationBroadcastMode
        Scan parquet shop.days | [d#30,d_month#31,d_week#32]"""
BLOOM = """Subquery | subquery#20
      ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(d#30, 42))])
        Scan parquet shop.days | [d#30,d_month#31,d_week#32]"""


def query(*above: str, filter: str = "") -> Query:
    text = SALES_OF_DAYS.format(filter=filter)
    for template in above:
        text = template.format(sales=indent(text.strip(), "  "))
    measured = ran(text, 600, 1200)
    (graph,) = measured.graphs
    told = replace(graph, relations=tuple(replace(r, leaf_bytes=1 << 20) for r in graph.relations))
    return replace(measured, graphs=(told,), joins=find_joins(plan(text), finished=True))


def advised(measured: Query) -> list[Change]:
    return list(advise_join_orders(facts(measured, reach=Reach.AGENT)))


@pytest.mark.parametrize("filter", ["", BLOOM])
def test_what_prunes_no_partitions_goes_with_any_other(filter: str) -> None:
    order, *_ = advised(query(OF_WEEKS, filter=filter))
    assert told(order) == "days, weeks, sales"


def test_what_prunes_partitions_is_joined_with_what_it_prunes_alone() -> None:
    assert advised(query(OF_WEEKS, filter=PARTITIONS)) == []


def test_the_others_are_put_in_order_beside_it() -> None:
    order, *_ = advised(query(WITH_STOCK, OF_WEEKS, filter=PARTITIONS))
    assert told(order) == "sales, days, weeks, stock"


def filtered_by_key(measured: Query, status: DirectiveStatus = DirectiveStatus.APPLIED) -> Query:
    """The bloom filter is the agent's, as it was told to make one."""
    (by_days,) = (join.signature for join in measured.joins if join.keys == (("shop.sales.s_day", "shop.days.d"),))
    site = KeyFilterSite(
        by_days, ("shop.sales",), 300_000_000, 0.01, measured=True, source=("shop.days",), source_rows=30, filtered=True
    )
    told = DirectiveResult(site.action(measured.fingerprint).id, status, join=by_days)
    return replace(measured, key_filters=(site,), directives=(told,))


def test_what_the_agent_filters_by_key_is_joined_as_it_was() -> None:
    """In another order its filter would find no join, and the rows that are priced are those that it left."""
    weeks, both = query(OF_WEEKS, filter=BLOOM), query(WITH_STOCK, OF_WEEKS, filter=BLOOM)
    assert advised(filtered_by_key(weeks)) == []
    order, *_ = advised(filtered_by_key(both))
    assert told(order) == "sales, days, weeks, stock"
    (first, *_), (second, *_) = advised(filtered_by_key(weeks, DirectiveStatus.IGNORED)), advised(weeks)
    assert first.actions == second.actions


def test_by_a_join_of_both_sides_as_they_are() -> None:
    measured = filtered_by_key(query(WITH_STOCK, OF_WEEKS, filter=BLOOM))
    (graph,) = measured.graphs
    sales, days, stock, weeks = (
        [r.relations[0] for r in graph.relations].index(f"shop.{n}") for n in ("sales", "days", "stock", "weeks")
    )
    kept = prunings(measured, graph)
    for order, is_kept in (
        (Joined(Joined(stock, Joined(days, sales)), weeks), True),
        (Joined(Joined(Joined(sales, stock), days), weeks), False),
        (Joined(Joined(sales, Joined(days, weeks)), stock), False),
    ):
        assert keeps(tree_of(order, _size), kept) is is_kept


def test_blocks_that_the_agent_cannot_tell_apart_keep_it_in_all_of_them() -> None:
    measured = query(OF_WEEKS, filter=PARTITIONS)
    (graph,), prices = measured.graphs, OrderPrices(facts(measured, reach=Reach.AGENT))
    pruned, other = prices.block(graph, measured), prices.block(graph, replace(measured, joins=()))
    assert not pruned.keeps_pruning(other.by_formula)
    assert all(map(pruned.keeps_pruning, cheapest_orders([pruned, other])))


@pytest.mark.parametrize(("filter", "advised"), [(BLOOM, True), (PARTITIONS, False)])
def test_spark_itself_is_not_let_reorder_joins_where_it_would_read_what_is_pruned(filter: str, advised: bool) -> None:
    measured = query(OF_WEEKS, filter=filter)
    assert bool(list(advise_cbo(facts(measured)))) is advised
    # Another query's order would gain by it; but it reorders all.
    pruned, other = (replace(query(OF_WEEKS, filter=f), id=n) for n, f in enumerate((filter, "")))
    assert bool(list(advise_cbo(facts(pruned, other)))) is advised


def test_it_is_known_by_what_ran() -> None:
    measured = query(WITH_STOCK, OF_WEEKS, filter=PARTITIONS)
    (graph,) = measured.graphs
    sales, days = (1 << [r.relations[0] for r in graph.relations].index(f"shop.{n}") for n in ("sales", "days"))
    assert prunings(measured, graph) == (Pruning(sales, days),)
    assert prunings(query(OF_WEEKS, filter=BLOOM), graph) == ()


def test_what_it_prunes_is_not_broadcast_in_its_place() -> None:
    """Of each side memory holds what is there; but only what is built prunes."""
    for filter, fits in (("", True), (PARTITIONS, False)):
        measured = query(WITH_STOCK, OF_WEEKS, filter=filter)
        (graph,) = measured.graphs
        few = tuple(replace(r, rows=100, leaf_bytes=1 << 20) for r in graph.relations)
        small = replace(graph, relations=few, measured={})
        at = {r.relations: 1 << number for number, r in enumerate(graph.relations)}
        sides = BroadcastSides(facts(measured, reach=Reach.AGENT), measured, small, Cardinality(small))
        sales, days = at["shop.sales",], at["shop.days",]
        assert sides.fit(days, sales) is not None
        assert (sides.fit(sales, days) is not None) is fits


@pytest.mark.parametrize("seed", range(60 if AT_LENGTH else 12))
def test_a_search_over_the_edges_that_are_left_meets_each_order_that_keeps_it_and_no_other(seed: int) -> None:
    rng = random.Random(seed)
    edges = random_tree(5, rng) + rng.sample(clique(5), rng.randrange(4))
    orders = list(_trees(0b11111, edges))
    every = rng.sample(list(_prunings(rng.choice(orders), edges)), rng.randrange(1, 3))
    kept = keeping_edges(edges, every)
    assert {str(tree) for tree in _trees(0b11111, kept)} == {str(tree) for tree in orders if keeps(tree, every)}


def _prunings(written: JoinTree, edges: list[Edge]) -> Iterator[Pruning]:
    """What may have pruned in an order: any side of a join by the other, of relations that both have keys for."""
    for join in written.joins:
        for side, by in (join.children, join.children[::-1]):
            near = JoinEdges(5, edges).near(by.mask) & side.mask
            yield from (Pruning(relation, by.mask) for relation in bits(near))


def _trees(mask: int, edges: list[Edge]) -> Iterator[JoinTree]:
    if mask.bit_count() == 1:
        yield leaf(mask.bit_length() - 1, _size)
    for left in range(1, mask):
        right = mask ^ left
        if left & right == 0 and left < right and JoinEdges(5, edges).connect(left, right):
            yield from (joined(a, b, _size) for a in _trees(left, edges) for b in _trees(right, edges))


def _size(_: int) -> Size:
    return Size(1, 1)
