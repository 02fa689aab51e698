"""Catalog tables of a query, and which of their columns the planner would ask statistics of."""

from __future__ import annotations

import pytest

from tests.plan.trees import plan
from tuner.model.query import TableRead
from tuner.plan.relation import catalog_table
from tuner.plan.table_reads import table_reads

PLAN = """
HashAggregate | (keys=[region#9], functions=[sum(amount#2)])
  SortMergeJoin | [store#3], [id#5], Inner | number of output rows=100
    Filter | (day#4 > 7)
      Scan parquet shop.sales | [note#1,amount#2,store#3,day#4] | number of output rows=1000; size of files read=4000
    Project | [id#5, region#6 AS region#9]
      Scan hive shop.stores | [id#5,region#6,name#7] | number of output rows=50
"""


def test_columns_in_filters_joins_and_grouping_are_asked_about() -> None:
    """Not the summed one, nor those that only pass."""
    assert table_reads(plan(PLAN)) == (
        TableRead("shop.sales", ("day", "store"), 1000, 4000),
        TableRead("shop.stores", ("id", "region"), 50, 0),
    )


def test_a_scan_that_a_range_partitioning_samples_has_each_row_once() -> None:
    """How wide rows are is told by files and rows: in half of it, documents looked narrow enough to be broadcast."""
    text = """
    Exchange | rangepartitioning(a#1 ASC NULLS FIRST, 8) | shuffle records written=900
      BroadcastHashJoin | [a#1], [b#2], Inner, BuildRight, false | number of output rows=1800
        Scan parquet shop.documents | [a#1,x#5] | number of output rows=2000; size of files read=8000000
        BroadcastExchange | HashedRelationBroadcastMode
          Scan parquet shop.days | [b#2] | number of output rows=30
    """
    assert table_reads(plan(text)) == (
        TableRead("shop.days", ("b",), 30),
        TableRead("shop.documents", ("a",), 1000, 8000000),
    )


def test_a_table_read_twice_is_one_with_all_its_columns() -> None:
    text = """
    SortMergeJoin | [a#1], [b#2], Inner
      Scan parquet shop.days | [a#1,x#5] | number of output rows=10
      Scan parquet shop.days | [x#6,b#2] | number of output rows=30
    """
    assert table_reads(plan(text)) == (TableRead("shop.days", ("a", "b"), 30),)


def test_columns_of_a_table_of_a_month_are_asked_about() -> None:
    text = """
    Filter | (day#1 > 7)
      Scan parquet stage.orders_202401 | [day#1,note#2] | number of output rows=10
    """
    assert table_reads(plan(text)) == (TableRead("stage.orders_202401", ("day",), 10),)


@pytest.mark.parametrize(
    ("scan", "table"),
    [
        (
            "Scan parquet spark_catalog.default.Sales | [a#1] | | InMemoryFileIndex(1 paths)[file:/w/sales]",
            "default.sales",
        ),
        ("Scan parquet default.sales | [a#1] | | InMemoryFileIndex[file:/w/sales]", "default.sales"),
        ("Scan hive shop.stores | [a#1]", "shop.stores"),
        ("Scan orc shop.stores | [a#1] | | CatalogFileIndex[file:/w/stores]", "shop.stores"),
        ("Scan parquet | [a#1] | | InMemoryFileIndex(1 paths)[file:/data/sales]", None),
        ("Scan csv | [a#1] | | InMemoryFileIndex[file:/data/sales.csv]", None),
        ("Scan parquet spark_catalog.default.t | [a#1] | | PreparedDeltaFileIndex(1 paths)[abfss://x/t]", None),
        ("Scan JDBCRelation(shop.sales) [numPartitions=1] | [a#1]", None),
        ("BatchScan local.shop.sales | [a#1]", None),
        ("Scan ExistingRDD shop.sales | [a#1]", None),
        ("Scan In-memory table shop.sales | [a#1]", None),
        ("LocalTableScan | [a#1]", None),
    ],
)
def test_what_analyze_table_takes(scan: str, table: str | None) -> None:
    assert catalog_table(plan(scan)) == table
