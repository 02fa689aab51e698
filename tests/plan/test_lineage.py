"""Where columns come from."""

from __future__ import annotations

import msgspec
import pytest

from tuner.plan.lineage import lineage_of
from tuner.plan.node import PlanNode
from tuner.plan.row_bytes import read_columns

from .trees import plan

BASE = "Scan parquet default.orders | [k#1,v#2]"


@pytest.mark.parametrize(
    ("project", "expression", "source"),
    [
        ("[k#1]", "k#1", "default.orders.k"),
        ("[k#1 AS key#9]", "key#9", "default.orders.k"),
        ("[cast(k#1 as bigint) AS key#9L]", "key#9L", "default.orders.k"),
        ("[(k#1 + v#2) AS total#9]", "total#9", "total"),
        ("[(k#1 + v#2) AS _gen_alias_9#9]", "_gen_alias_9#9", "_gen_alias"),
        ("[k#1]", "lower(k#1)", "expression(default.orders.k)"),
        ("[k#1]", "(v#2 + k#1)", "expression(default.orders.k,default.orders.v)"),
        ("[k#1]", "elsewhere#99", "elsewhere"),
    ],
)
def test_sources(project: str, expression: str, source: str) -> None:
    assert lineage_of(plan(f"Project | {project}\n  {BASE}")).source(expression) == source


def test_aliases_of_aliases() -> None:
    root = plan(f"Project | [b#10 AS c#11]\n  Project | [k#1 AS b#10]\n    {BASE}")
    assert lineage_of(root).source("c#11") == "default.orders.k"


def test_aliases_in_a_circle_end() -> None:
    root = plan("Project | [a#1 AS b#2]\n  Project | [b#2 AS a#1]\n    LocalTableScan")
    assert lineage_of(root).source("b#2") == "b"


def test_columns_of_subqueries_have_owners_too() -> None:
    root = plan(f"Filter | (k#1 > 1)\n  {BASE}\n  Subquery | subquery#5\n    Scan parquet default.items | [i#7]")
    assert lineage_of(root).source("i#7") == "default.items.i"


# What is reused, below `ReusedExchange [k#101, v#102, total#103]`, and where k#101 comes from.
REUSED = {
    "a scan": BASE,
    "a filter": f"Filter | (v#2 > 5)\n      {BASE}",
    "a projection": f"Project | [k#1, v#2 AS w#5]\n      {BASE}",
    "a partial aggregate": f"HashAggregate | (keys=[k#1, v#2], functions=[partial_sum(v#2)])\n      {BASE}",
    "a final aggregate": f"HashAggregate | (keys=[v#2, k#1], functions=[sum(v#2)])\n      {BASE}",
    "a sort aggregate": f"SortAggregate | (key=[k#1, v#2], functions=[partial_sum(v#2)])\n      {BASE}",
    "a window": f"Window | [rank(v#2) AS r#9]\n      {BASE}",
    "a join": f"SortMergeJoin | [k#1], [i#7], Inner\n      {BASE}\n      Scan parquet default.items | [i#7]",
    "a union": f"Union\n      {BASE}\n      Scan parquet default.old_orders | [k#51,v#52]",
}


@pytest.mark.parametrize("below", REUSED.values(), ids=list(REUSED))
def test_through_a_reused_exchange_of(below: str) -> None:
    root = plan(
        f"ReusedExchange | [k#101, v#102, total#103], Exchange hashpartitioning(k#1, 8), [plan_id=7]\n"
        f"  Exchange | hashpartitioning(k#1, 8), [plan_id=7]\n    {below}"
    )
    assert lineage_of(root).source("k#101") == "default.orders.k"


def test_a_comma_in_a_literal_or_a_name_moves_no_column_of_what_is_reused() -> None:
    root = plan(
        "ReusedExchange | [n#100, a,b#101, k#102], Exchange hashpartitioning(k#1, 8), [plan_id=7]\n"
        "  Exchange | hashpartitioning(k#1, 8), [plan_id=7]\n"
        f"    Project | [x, y AS n#5, v#2 AS a,b#6, k#1]\n      {BASE}"
    )
    lineage = lineage_of(root)
    assert [lineage.source(key) for key in ("k#102", "w#101", "n#100")] == ["default.orders.k", "default.orders.v", "n"]


def test_an_empty_relation_owns_nothing() -> None:
    root = plan(f"EmptyRelation | Project [k#1, v#2]\n  LogicalQueryStage\n    {BASE}")
    assert lineage_of(root).source("k#1") == "default.orders.k"


class TestColumnsThatAListIsTooShortFor:
    """spark.sql.debug.maxToStringFields: of a table of more columns only the first are printed, with their ids."""

    @staticmethod
    def wide(table: str, first: str, schema: str) -> PlanNode:
        scan = plan(f"Scan parquet default.{table} | [{first}, ... 30 more fields] Batched: true")
        return msgspec.structs.replace(scan, metadata={"ReadSchema": f"struct<{schema}>"})

    def joined(self, *sides: PlanNode) -> PlanNode:
        return PlanNode("SortMergeJoin", "SortMergeJoin", "SortMergeJoin [key#9], [of#8], Inner", {}, {}, sides)

    def test_belong_to_the_relation_that_read_them(self) -> None:
        orders = self.wide("orders", "a#1", "a:int,b:struct<key:int>,Key:bigint")
        items = self.wide("items", "c#2", "c:int,of:bigint,d:map<string,array<int>>")
        lineage = lineage_of(self.joined(orders, items))
        assert [lineage.source(key) for key in ("key#9", "of#8L", "a#1", "d#7")] == [
            *("default.orders.Key", "default.items.of", "default.orders.a", "default.items.d")
        ]

    def test_of_two_relations_either_may_have_read_them(self) -> None:
        orders, items = (self.wide(table, "a#1", "a:int,key:int") for table in ("orders", "items"))
        assert lineage_of(self.joined(orders, items)).source("key#9") == "key"
        assert lineage_of(self.joined(orders, orders)).source("key#9") == "default.orders.key"

    def test_are_among_those_that_a_scan_reads(self) -> None:
        scan = self.wide("orders", "a#1", "a:int,b:struct<key:int>,Key:bigint")
        assert read_columns(scan) == ("a", "b", "Key")
        assert read_columns(plan(BASE)) == ("k", "v")

    def test_are_called_by_the_last_of_several_words_as_those_in_the_list(self) -> None:
        """By which the agent calls all (Names.lastWord)."""
        columns = ",".join(f"c{number}:int" for number in range(27))
        scan = self.wide("orders", "first id#1L", f"first id:bigint,{columns},rate (%):double,order\u00a0key:bigint")
        assert read_columns(scan) == ("id", *(f"c{number}" for number in range(27)), "key")
        assert lineage_of(scan).source("key#9L") == "default.orders.key"

    def test_keys_belong_to_the_scan_whose_filter_takes_them_without_nulls(self) -> None:
        """Scans of Iceberg, Hive and JDBC tell no schema."""
        orders, items = (
            plan(
                f"Filter | (isnotnull(key#{key}L) AND (a#{first} > 1))\n"
                f"  BatchScan cat.db.{table} | [a#{first}, ... 30 more fields] cat.db.{table}"
            )
            for table, first, key in (("orders", 1, 9), ("items", 2, 8))
        )
        lineage = lineage_of(self.joined(orders, items))
        assert [lineage.source(key) for key in ("key#9L", "key#8L", "other#7")] == [
            *("cat.db.orders.key", "cat.db.items.key", "other")
        ]

    def test_computed_ones_do_not(self) -> None:
        below = self.joined(self.wide("orders", "a#1", "a:int,key:int"), plan(BASE))
        root = PlanNode("Project", "Project", "Project [(a#1 + 1) AS key#9]", {}, {}, (below,))
        assert lineage_of(root).source("key#9") == "key"

    def test_relations_whose_columns_are_all_there_have_no_others(self) -> None:
        scan = msgspec.structs.replace(plan(BASE), metadata={"ReadSchema": "struct<k:int,v:int,key:int>"})
        assert lineage_of(scan).source("key#9") == "key"
