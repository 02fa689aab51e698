"""Where columns come from."""

from __future__ import annotations

import pytest

from tuner.plan.lineage import lineage_of

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


def test_an_empty_relation_owns_nothing() -> None:
    root = plan(f"EmptyRelation | Project [k#1, v#2]\n  LogicalQueryStage\n    {BASE}")
    assert lineage_of(root).source("k#1") == "default.orders.k"
