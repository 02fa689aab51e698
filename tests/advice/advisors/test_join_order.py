"""A better join order: when it is recommended, what it says, and what it promises."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.advice.joins import facts
from tests.plan.trees import plan
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.candidates.cheapest_orders import PricedBlock
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.facts import Facts, PastRun
from tuner.advice.insights.join_order import unsure_orders
from tuner.advice.steering_reach import Reach
from tuner.cli.reading.logs import LogReader, read_into
from tuner.cli.reading.queries_and_insights import QueriesAndInsights
from tuner.cost.join_tree import JoinTree
from tuner.eventlog.cluster import cluster_of
from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.insight import InsightKind
from tuner.model.join_graph import Joined, MeasuredJoin
from tuner.model.query import Query, QueryStatus
from tuner.plan.order_text import parse_order
from tuner.plan.queries import in_full
from tuner.words.reasons import reason_words

# Sales meet every stock of their item before the one week that is asked for: TPC-DS 72 in small.
EXPLODING = """
SortMergeJoin | [s_day#3], [d#8], Inner | number of output rows=1000000
  SortMergeJoin | [s_item#1], [i_item#5], Inner | number of output rows={exploded}
    Scan parquet shop.sales | [s_item#1,s_amount#2,s_day#3] | number of output rows=100000000
    Scan parquet shop.stock | [i_item#5,i_on_hand#6] | number of output rows=50000000
  Filter | (d_week#9 = 7) | number of output rows=7
    Scan parquet shop.days | [d#8,d_week#9] | number of output rows=7000
"""


# Rows are fewest where returns meet the catalogue first, but both are shuffled whole for that: TPC-DS 25 in small.
FILTERED_LATE = """
BroadcastHashJoin | [s_day#3], [d#30], Inner, BuildRight | number of output rows=6
  SortMergeJoin | [r_customer#11, r_item#12], [c_customer#21, c_item#22], Inner | number of output rows=700
    SortMergeJoin | [s_customer#1, s_item#2], [r_customer#11, r_item#12], Inner | number of output rows=1900000
      Exchange | hashpartitioning(s_customer#1, s_item#2, 200) | data size=1000000000
        Scan parquet shop.sales | [s_customer#1,s_item#2,s_day#3] | number of output rows=26000000
      Exchange | hashpartitioning(r_customer#11, r_item#12, 200) | data size=130000000
        Scan parquet shop.returns | [r_customer#11,r_item#12] | number of output rows=2700000
    Exchange | hashpartitioning(c_customer#21, c_item#22, 200) | data size=600000000
      Scan parquet shop.catalogue | [c_customer#21,c_item#22] | number of output rows=14000000
  BroadcastExchange | HashedRelationBroadcastMode | data size=1000
    Filter | (d_week#31 = 7) | number of output rows=30
      Scan parquet shop.days | [d#30,d_week#31] | number of output rows=7000
"""


# Two small tables keep part of the sales: after a join with orders, as written.
HALVED_LATE = """
BroadcastHashJoin | [s_day#4], [d#30], Inner, BuildRight | number of output rows={of_days}
  BroadcastHashJoin | [s_store#3], [t#40], Inner, BuildRight | number of output rows={of_stores}
    SortMergeJoin | [s_order#1], [o_order#11], Inner | number of output rows={of_orders}
      Exchange | hashpartitioning(s_order#1, 2000) | data size=40000000000
        Scan parquet shop.sales | [s_order#1,s_store#3,s_day#4] | number of output rows=1000000000
      Exchange | hashpartitioning(o_order#11, 2000) | data size=40000000000
        Scan parquet shop.orders | [o_order#11] | number of output rows=1000000000
    BroadcastExchange | HashedRelationBroadcastMode | data size=10000
      Filter | (t_open#41 = true) | number of output rows=300
        Scan parquet shop.stores | [t#40,t_open#41] | number of output rows=500
  BroadcastExchange | HashedRelationBroadcastMode | data size=10000
    Filter | (d_month#31 = 7) | number of output rows=180
      Scan parquet shop.days | [d#30,d_month#31] | number of output rows=365
"""


def ran(text: str, seconds: float = 600, tasks_seconds: float = 0) -> Query:
    tree = plan(text)
    measured = Query(
        1, 1, "f" * 16, "q", 0, int(seconds * 1000), QueryStatus.SUCCEEDED, executor_run_ms=int(tasks_seconds * 1000)
    )
    return in_full((measured, tree, tree), ())


def found(text: str, seconds: float = 600, tasks_seconds: float = 2000) -> list[Change]:
    return list(advise_join_orders(facts(ran(text, seconds, tasks_seconds))))


def told(change: Change) -> str:
    return str(change.reason.numbers["order"])


def test_joins_that_make_rows_for_later_ones_to_drop_are_put_off() -> None:
    (advice,) = found(EXPLODING.format(exploded=10_000_000_000))
    assert told(advice) == "sales, days, stock"
    assert "joining sales and stock this early makes rows that later joins drop: 10.0G rows between" in reason_words(
        advice.reason
    )
    assert {e.what: e.value for e in advice.evidence}["rows between the joins as they ran"] == 10_000_000_000


def test_what_is_filtered_before_it_is_shuffled_counts_for_more_than_rows_between_joins() -> None:
    (advice,) = found(FILTERED_LATE, seconds=40, tasks_seconds=80)
    assert told(advice).startswith("sales, days, ")
    assert advice.prediction.after < 20


def test_small_tables_that_keep_half_go_before_the_shuffle_that_they_halve() -> None:
    """One keeps 60 % of the sales, the other half of these."""
    text = HALVED_LATE.format(of_orders=1_000_000_000, of_stores=600_000_000, of_days=300_000_000)
    (advice,) = found(text, seconds=1500, tasks_seconds=3000)
    assert told(advice) == "sales, days, stores, orders"
    assert advice.prediction.high < 1500


def test_so_they_do_where_what_is_shuffled_keeps_few() -> None:
    """Orders are of a tenth of the sales: met first, they leave the fewest rows between joins."""
    query = ran(HALVED_LATE.format(of_orders=100_000_000, of_stores=30_000_000, of_days=8_000_000), 1500, 3000)
    assert not OrderPrices(facts(query)).block(*query.graphs).saves_rows(0.7)
    (advice,) = advise_join_orders(facts(query))
    assert told(advice) == "sales, days, stores, orders"
    assert advice.prediction.high < 1200


def test_of_a_loop_the_longest_executions_are_searched_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ran(HALVED_LATE.format(of_orders=100_000_000, of_stores=30_000_000, of_days=8_000_000), 1500, 3000)
    loop = [replace(one, id=n, duration_ms=1_500_000 + n) for n in range(40)]
    searched: list[int] = []
    genuine = PricedBlock.searched_by_seconds

    def noted(block: PricedBlock) -> JoinTree:
        searched.append(block.query.id if block.query else -1)
        return genuine(block)

    monkeypatch.setattr(PricedBlock, "searched_by_seconds", noted)
    (advice,) = advise_join_orders(facts(*loop))
    assert told(advice) == "sales, days, stores, orders"
    assert sorted(set(searched)) == [37, 38, 39]


def test_a_person_and_a_later_run_can_read_the_order() -> None:
    query = ran(EXPLODING.format(exploded=10_000_000_000), tasks_seconds=1000)
    (advice,) = advise_join_orders(facts(query))
    (action,) = advice.actions
    (graph,) = query.graphs
    assert (action.kind, action.target, action.query) == (ActionKind.ORDER_JOINS, graph.signature, "f" * 16)
    sales, stock, days = (
        [r.relations[0] for r in graph.relations].index(f"shop.{n}") for n in ("sales", "stock", "days")
    )
    assert parse_order(action.value, graph) == Joined(Joined(sales, days), stock)


def test_what_it_saves_is_at_most_what_the_query_took() -> None:
    (slow,) = found(EXPLODING.format(exploded=10_000_000_000))
    (fast,) = found(EXPLODING.format(exploded=10_000_000_000), seconds=60, tasks_seconds=200)
    for advice, took in ((slow, 600), (fast, 60)):
        predicted = advice.prediction
        assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before == took
    assert fast.prediction.gain < slow.prediction.gain


def test_an_order_that_may_save_nothing_is_shown_and_not_recommended() -> None:
    """Fewer rows for certain; but what rows cost is known within a factor of a thousand only."""
    query = ran(EXPLODING.format(exploded=400_000_000))
    unsure = replace(facts(query), price_error=1000.0)
    assert list(advise_join_orders(facts(query))) and not list(advise_join_orders(unsure))
    assert not list(unsure_orders(facts(query)))
    (insight,) = unsure_orders(unsure)
    assert insight.kind is InsightKind.JOIN_ORDER
    assert insight.operator == "2 inner joins of sales, stock, days"
    assert insight.numbers == {"early": "sales and stock", "order": "sales, days, stock"}
    assert 0 < insight.seconds <= 600


def test_orders_are_searched_once_for_what_is_recommended_and_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    unsure = replace(facts(ran(EXPLODING.format(exploded=400_000_000))), price_error=1000.0)
    assert not list(advise_join_orders(unsure))
    monkeypatch.setattr(OrderPrices, "block", lambda *_: pytest.fail("searched again"))
    assert list(unsure_orders(unsure))


def test_what_takes_most_of_a_query_is_still_gained_at_worst_where_the_rest_may_be_priced_too_low() -> None:
    """Joins are four fifths by the prices; were the rest six times as dear, they would be two fifths, not nothing."""
    query = ran(EXPLODING.format(exploded=10_000_000_000))
    (advice,) = advise_join_orders(replace(facts(query), price_error=6.0))
    assert advice.prediction.after < advice.prediction.high < 0.8 * 600


def test_less_than_a_second_is_not_worth_a_minute() -> None:
    assert found(EXPLODING.format(exploded=10_000_000_000), seconds=0.9, tasks_seconds=2) == []


@pytest.mark.parametrize(("seconds", "advised"), [(0.9, True), (0.2, False)])
def test_where_the_agent_orders_it_less_will_do(seconds: float, advised: bool) -> None:
    query = ran(EXPLODING.format(exploded=10_000_000_000), seconds)
    assert bool(list(advise_join_orders(facts(query, reach=Reach.AGENT)))) is advised


@pytest.mark.parametrize(("seconds", "least"), [(1, 0.2), (5, 0.5), (600, 1.0)])
def test_of_a_short_query_the_agent_is_to_gain_a_tenth(seconds: float, least: float) -> None:
    query = ran(EXPLODING.format(exploded=10_000_000_000), seconds)
    assert [change.least_seconds for change in OrderPrices(facts(query, reach=Reach.AGENT)).changes()] == [least]
    assert [change.least_seconds for change in OrderPrices(facts(query)).changes()] == [1.0]


@pytest.mark.parametrize("reach", [Reach.AGENT, Reach.CONF])
def test_in_a_loop_all_executions_are_to_gain_as_much_together(reach: Reach) -> None:
    one = ran(EXPLODING.format(exploded=10_000_000_000), 0.2)
    loop = [replace(one, id=n) for n in range(100)]
    changes = OrderPrices(facts(*loop, reach=reach)).changes()
    assert {change.least_seconds for change in changes} == {0.1 * one.seconds}
    assert not list(advise_join_orders(facts(one, reach=reach)))
    assert len(list(advise_join_orders(facts(*loop, reach=reach)))) == 1


def test_what_an_earlier_run_measured_of_the_order_counts() -> None:
    """Sales of the week turned out to be nearly all of them: as many as in the order that ran."""
    query = ran(EXPLODING.format(exploded=10_000_000_000), tasks_seconds=1000)
    (graph,) = query.graphs
    names = [r.relations[0] for r in graph.relations]
    tried = 1 << names.index("shop.sales") | 1 << names.index("shop.days")
    other = replace(graph, measured={tried: MeasuredJoin(9_000_000_000)})
    small = replace(other, relations=tuple(replace(r, rows=(r.rows or 0) // 2) for r in other.relations))
    assert list(advise_join_orders(facts(query)))
    given = facts(query)
    for past, advised in ((other, False), (small, True)):
        run = PastRun((replace(query, graphs=(past,)),))
        assert bool(list(advise_join_orders(replace(given, earlier=(run,))))) is advised


def test_an_order_that_is_good_already_is_left_alone() -> None:
    assert found(EXPLODING.format(exploded=1_000)) == []


def test_two_relations_have_one_order() -> None:
    text = """
        SortMergeJoin | [a#1], [b#2], Inner | number of output rows=10000000000
          Scan parquet t.a | [a#1] | number of output rows=100000000
          Scan parquet t.b | [b#2] | number of output rows=1000000
    """
    assert found(text) == []


def test_relations_of_one_name_are_told_apart_by_what_they_are_joined_on() -> None:
    text = """
        SortMergeJoin | [ship#4], [d#8], Inner | number of output rows=1000
          SortMergeJoin | [sold#3], [d#6], Inner | number of output rows=99000000
            SortMergeJoin | [item#1], [i#5], Inner | number of output rows=99000000
              Scan parquet shop.sales | [item#1,sold#3,ship#4] | number of output rows=100000000
              Scan parquet shop.items | [i#5] | number of output rows=5000
            Scan parquet shop.days | [d#6] | number of output rows=7000
          Filter | (w#9 = 7) | number of output rows=7
            Scan parquet shop.days | [d#8,w#9] | number of output rows=700000
    """
    (advice,) = found(text, seconds=100, tasks_seconds=200)
    assert told(advice).startswith("sales, days (for ship)")


def test_an_aggregate_is_named_as_one() -> None:
    text = """
        SortMergeJoin | [item#1], [i#5], Inner | number of output rows=1000
          SortMergeJoin | [k#2], [k#7], Inner | number of output rows=99000000
            Scan parquet shop.sales | [item#1,k#2] | number of output rows=100000000
            HashAggregate | (keys=[k#7], functions=[sum(v#8)]) | number of output rows=1000000
              Scan parquet shop.returns | [k#7,v#8] | number of output rows=5000000
          Filter | (c#6 = 7) | number of output rows=7
            Scan parquet shop.items | [i#5,c#6] | number of output rows=700000
    """
    (advice,) = found(text)
    assert told(advice) == "sales, items, aggregate(returns)"


def test_what_query_72_is_told() -> None:
    """Sales meet the stock of every week before the week of the sale is asked for (scale factor 3000, Dataproc)."""
    log = Path(__file__).parents[4] / "shared" / "eventlogs" / "nds_q72_dataproc_2_2.zstd"
    if not log.exists():
        pytest.skip(f"no real event log at {log}")
    ((application, read),) = LogReader().read([str(log)], partial(read_into, QueriesAndInsights))
    given = Facts(read.in_order(), cluster_of(application), application.conf, False, application.spark_version)
    (advice,) = advise_join_orders(given)
    assert "(inventory, date_dim (for d_week_seq, inv_date_sk))" in told(advice)
    values = {e.what: round(e.value / 1e9, 1) for e in advice.evidence}
    assert values["rows between the joins as they ran"] == 31.5
    assert values["rows between them in the other order"] == 1.2
    assert values["most rows between two of them"] == 5.2
    assert advice.prediction.high < advice.prediction.before
