"""The values of a query's conditions as one id."""

from __future__ import annotations

import pytest

from tuner.plan.literals import literals_of_plan
from tuner.plan.node import PlanNode

SCAN = PlanNode(
    "Scan",
    "Scan parquet spark_catalog.db.sales",
    "FileScan parquet spark_catalog.db.sales[kind#1,amount#2L,day#3] Batched: true",
    {},
    {},
)
NONE = literals_of_plan(SCAN, "Relation spark_catalog.db.sales[kind#1,amount#2L,day#3] parquet")


def of(*conditions: str, join: str = "") -> str:
    """The id of a logical plan with filters, ids of columns as in the scan."""
    lines = (
        [f"Join Inner, {join}, rightHint=(strategy=broadcast), Statistics(sizeInBytes=8.0 B)"] if join else ["Project"]
    )
    lines += [f":  +- Filter {c}, Statistics(sizeInBytes=1.5 GiB, rowCount=12)" for c in conditions]
    return literals_of_plan(SCAN, "\n".join([*lines, "   +- Relation spark_catalog.db.sales[kind#1] parquet"]))


def physical(condition: str, filters: str = "", limit: str = "") -> str:
    scan = PlanNode(SCAN.name, SCAN.full_name, SCAN.text, {"PartitionFilters": f"[{filters}]"}, {})
    root = PlanNode("Filter", "Filter", f"Filter {condition}", {}, {}, (scan,))
    return literals_of_plan(PlanNode("CollectLimit", "CollectLimit", limit, {}, {}, (root,)) if limit else root, None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(kind#1 = DE)", "(isnotnull(kind#1) AND (kind#1 = DE))"),
        ("((kind#1 = DE) AND (amount#2L > 5))", "((amount#2L > 5) AND (kind#1 = DE))"),
        ("kind#1 IN (DE,FR)", "kind#1 IN (FR,DE)"),
        ("kind#1 IN (DE,FR)", "kind#1 INSET FR, DE"),
        ("(day#3 = 2024-01-05)", "(day#3 = 2024-01-06)"),
        ("((day#3 >= 2024-01-01) AND (day#3 < 2024-02-01))", "((day#3 >= 2024-02-01) AND (day#3 < 2024-03-01))"),
        ("day#3 IN (2024-01-30,2024-01-31)", "day#3 IN (2024-02-01,2024-02-02)"),
        ("(kind#1 = DE)", "((kind#1 = DE) AND dynamicpruning#9 [kind#1])"),
        ("((kind#1 = DE) AND might_contain(subquery#9, xxhash64(kind#1, 42)))", "(kind#1 = DE)"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert of(one) == of(other) != NONE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(kind#1 = DE)", "(kind#1 = FR)"),
        ("(kind#1 = DE)", "(amount#2L = DE)"),
        ("(amount#2L > 5)", "(amount#2L < 5)"),
        ("((kind#1 = DE) OR (amount#2L = 5))", "((kind#1 = DE) AND (amount#2L = 5))"),
        ("kind#1 IN (DE,FR)", "kind#1 IN (DE,FR,IT)"),
        ("(kind#1 = IN)", "(kind#1 = OR)"),
        ("(kind#1 = isnull(kind))", "(kind#1 = subquery)"),
        ("StartsWith(kind#1, a)", "StartsWith(kind#1, b)"),
        ("(day#3 = 2024-01-05)", "((day#3 >= 2023-01-05) AND (day#3 <= 2024-01-05))"),
        ("(kind#1 = )", "(kind#1 = x)"),
        (
            "((isnotnull(kind#1) AND (kind#1 = a)) OR (amount#2L = 5))",
            "((isnotnull(kind#1) AND (kind#1 = b)) OR (amount#2L = 5))",
        ),
        ("(kind#1 = true)", "(kind#1 = false)"),
    ],
)
def test_others(one: str, other: str) -> None:
    assert of(one) != of(other)


def test_conditions_between_columns_hold_no_value() -> None:
    assert of("isnotnull(kind#1)", join="((kind#1 = day#3) AND (cast(amount#2L as decimal(10,2)) = day#3))") == NONE


def test_conditions_of_joins_and_limits_count() -> None:
    assert of(join="((kind#1 = day#3) AND (amount#2L > 5))") == of("(amount#2L > 5)")
    assert len({physical("(kind#1 = DE)", limit=f"CollectLimit {n}") for n in (10, 11)}) == 2


def test_a_physical_plan_tells_the_same() -> None:
    assert physical("(isnotnull(kind#1) AND (kind#1 = DE))", "isnotnull(day#3), (day#3 = 2024-01-05)") == of(
        "(kind#1 = DE)", "(day#3 = 2024-01-07)"
    )


def test_what_made_cached_data_is_no_part_of_a_query() -> None:
    cached = (
        "InMemoryRelation [kind#1], StorageLevel(disk, memory)\n   +- Filter (kind#1 = DE)\n      +- Relation t[kind#1]"
    )
    assert literals_of_plan(SCAN, f"Filter (kind#1 = FR)\n+- {cached}") == of("(kind#1 = FR)")


def test_a_text_that_is_cut_tells_nothing() -> None:
    assert of("concat(kind#1, a, ... 3 more fields)") == ""


def test_no_id_holds_a_value() -> None:
    assert "secret" not in of("(kind#1 = secret)") and len(of("(kind#1 = secret)")) == 16
