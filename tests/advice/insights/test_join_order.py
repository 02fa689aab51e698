"""The insight of a better join order: when it is shown, and what it says."""

from __future__ import annotations

from tests.plan.trees import plan
from tuner.advice.insights.facts import InsightFacts
from tuner.advice.insights.join_order import join_orders
from tuner.advice.insights.model import Insight
from tuner.plan.model import Query, QueryStatus

# Sales meet every stock of their item before the one week that is asked for: TPC-DS 72 in small.
EXPLODING = """
SortMergeJoin | [s_day#3], [d#8], Inner | number of output rows=1000000
  SortMergeJoin | [s_item#1], [i_item#5], Inner | number of output rows={exploded}
    Scan parquet shop.sales | [s_item#1,s_amount#2,s_day#3] | number of output rows=100000000
    Scan parquet shop.stock | [i_item#5,i_on_hand#6] | number of output rows=50000000
  Filter | (d_week#9 = 7) | number of output rows=7
    Scan parquet shop.days | [d#8,d_week#9] | number of output rows=7000
"""


def found(text: str, seconds: float = 600, tasks_seconds: float = 2000) -> list[Insight]:
    tree = plan(text)
    query = Query(
        1, 1, "f" * 16, "q", 0, int(seconds * 1000), QueryStatus.SUCCEEDED, executor_run_ms=int(tasks_seconds * 1000)
    )
    return list(join_orders(InsightFacts(query, tree, tree)))


def test_joins_that_make_rows_for_later_ones_to_drop_are_put_off() -> None:
    (insight,) = found(EXPLODING.format(exploded=10_000_000_000))
    assert insight.change == "join in this order: sales, days, stock"
    assert insight.reason == "joining sales and stock early makes rows that later joins drop"
    assert {e.what: e.value for e in insight.evidence}["rows between the joins as they ran"] == 10_000_000_000


def test_what_it_saves_is_at_most_what_the_query_took() -> None:
    (slow,) = found(EXPLODING.format(exploded=10_000_000_000))
    (fast,) = found(EXPLODING.format(exploded=10_000_000_000), seconds=60, tasks_seconds=200)
    assert 0 < fast.seconds <= 60
    assert fast.seconds < slow.seconds <= 600


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
    (insight,) = found(text)
    assert insight.change.startswith("join in this order: sales, days (for ship)")


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
    (insight,) = found(text)
    assert insight.change == "join in this order: sales, items, aggregate(returns)"
