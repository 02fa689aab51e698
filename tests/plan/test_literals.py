"""The values of a query's conditions as one id."""

from __future__ import annotations

import pytest

from tuner.model.query_values import COMPUTED, FilterCondition, QueryValues
from tuner.plan.digest import digest
from tuner.plan.literals import literal_class, query_values, with_sorted_lists
from tuner.plan.node import PlanNode

from .list_cases import LIST_CASES

SCAN = PlanNode(
    "Scan",
    "Scan parquet spark_catalog.db.sales",
    "FileScan parquet spark_catalog.db.sales[kind#1,amount#2L,day#3] Batched: true",
    {},
    {},
)


def told(plan: PlanNode, logical_plan: str | None) -> str:
    return query_values(plan, logical_plan).literals


NONE = told(SCAN, "Relation spark_catalog.db.sales[kind#1,amount#2L,day#3] parquet")


def of(*conditions: str, join: str = "") -> str:
    """The id of a logical plan with filters, ids of columns as in the scan."""
    lines = (
        [f"Join Inner, {join}, rightHint=(strategy=broadcast), Statistics(sizeInBytes=8.0 B)"] if join else ["Project"]
    )
    lines += [f":  +- Filter {c}, Statistics(sizeInBytes=1.5 GiB, rowCount=12)" for c in conditions]
    return told(SCAN, "\n".join([*lines, "   +- Relation spark_catalog.db.sales[kind#1] parquet"]))


def physical(condition: str, filters: str = "", limit: str = "") -> str:
    scan = PlanNode(SCAN.name, SCAN.full_name, SCAN.text, {"PartitionFilters": f"[{filters}]"}, {})
    root = PlanNode("Filter", "Filter", f"Filter {condition}", {}, {}, (scan,))
    return told(PlanNode("CollectLimit", "CollectLimit", limit, {}, {}, (root,)) if limit else root, None)


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
    assert told(SCAN, f"Filter (kind#1 = FR)\n+- {cached}") == of("(kind#1 = FR)")


def test_a_query_of_several_lines_is_no_end_of_what_made_cached_data() -> None:
    text = """InMemoryRelation [kind#1], StorageLevel(disk)
   +- *(1) Filter (kind#1 = DE)
      +- Relation [kind#1] JDBCRelation((
{}
) t) [numPartitions=1]
   +- Filter (kind#1 = DE)"""
    assert len({told(SCAN, text.format(asked)) for asked in ("select kind", "Filter (kind#1 = FR)")}) == 1


@pytest.mark.parametrize("broken", ["\n", "a\nb", "\n- ", "\u2028"], ids=ascii)
def test_a_string_with_a_line_break_is_a_value(broken: str) -> None:
    asked = f"(kind#1 = regexp_replace(x, {broken}, y))"
    assert of(asked) == physical(asked) != of("(kind#1 = regexp_replace(x, z, y))")
    assert of("(day#3 = 1)", join=f"((kind#1 = day#3) AND {asked})") == of("(day#3 = 1)", asked)


def test_a_text_that_is_cut_tells_nothing() -> None:
    assert of("concat(kind#1, a, ... 3 more fields)") == ""


def test_no_id_holds_a_value() -> None:
    assert "secret" not in of("(kind#1 = secret)") and len(of("(kind#1 = secret)")) == 16


COMPUTING = """\
Filter {}
+- Aggregate [kind#1], [kind#1, max(day#3) AS last_order#9, max(day#3)#8 AS max(day)#10]
   +- Relation spark_catalog.db.sales[kind#1,day#3] parquet"""


def columns_of(condition: str) -> set[str]:
    """The columns of a filter above groups: those that both plans tell."""
    filtered = PlanNode("Filter", "Filter", f"Filter {condition}", {}, {}, (SCAN,))
    by_logical, by_physical = (query_values(filtered, text) for text in (COMPUTING.format(condition), None))
    assert by_logical == by_physical
    return {condition.columns for condition in by_logical.conditions or ()}


def test_what_is_computed_has_a_digest_for_its_name() -> None:
    (last,) = columns_of("(last_order#9 >= 2024-01-01)")
    assert last == f"{COMPUTED}{digest('last_order')}" and columns_of("(last_order#9 < 2024-02-01)") == {last}
    (with_day,) = columns_of("(last_order#9 >= concat(day#3, a))")
    assert with_day == f"{COMPUTED}{digest('db.sales.day,last_order')}"
    assert columns_of("(day#3 = 2024-01-01)") == {"db.sales.day"}


def test_what_is_named_after_its_expression_has_no_name() -> None:
    """Where it begins, the text does not tell: a count and a day would have one name."""
    assert columns_of("(max(day)#10 >= 2024-01-01)") == {""}
    assert columns_of("((max(day)#10 >= 2024-01-01) OR (kind#1 = DE))") == {""}
    assert columns_of("(max(day)[0]#10 >= 2024-01-01)") == {""}


@pytest.mark.parametrize(
    "call",
    ["near(kind#1, day#3)", "near(cast(kind#1 as int), lower(trim(day#3)))", "near(f(kind#1)#5, day#3[0], abs(3))"],
)
def test_a_python_function_has_the_columns_in_its_brackets(call: str) -> None:
    assert columns_of(f"({call}#10 >= 3)") == {"db.sales.day,db.sales.kind"}


def test_a_class_has_what_is_computed_without_a_name_unless_it_may_take_any_value() -> None:
    last = f"{COMPUTED}0123456789abcdef"
    (one, other), unnamed = (FilterCondition(last, day) for day in "ab"), FilterCondition("", "a")
    assert literal_class([one]) == literal_class([unnamed]) != literal_class([other])
    assert literal_class([one], {last}) == literal_class([other], {last}) != literal_class([unnamed], {last})
    assert literal_class([one, other], {last}) == literal_class([one, other]), "of several none is left out"


def of_brands(condition: str, number: int = 5, more: str = "") -> QueryValues:
    """What a condition on a column of this number holds; `more` are other lines of the plan."""
    relation = f"Relation spark_catalog.db.part[brand#{number},kind#{number + 1}] parquet"
    scan = PlanNode(
        "Scan", "Scan parquet spark_catalog.db.part", f"FileScan parquet spark_catalog.db.part[brand#{number}]", {}, {}
    )
    return query_values(
        scan, "\n".join(["Project", f"+- Filter {condition}", *([more] if more else ()), f"   +- {relation}"])
    )


def test_a_value_that_looks_like_a_column_is_none_whatever_number_a_column_has() -> None:
    found = [of_brands(f"(brand#{number} = Brand#23)", number) for number in (5, 22, 230)]
    assert len(set(found)) == 1
    assert [c.columns for c in found[0].conditions or ()] == [""]
    assert found[0] != of_brands("(brand#5 = Brand#24)")
    assert of_brands("brand#5 IN (Brand#1,Brand#2)") == of_brands("brand#5 IN (Brand#2,Brand#1)")
    assert of_brands("brand#5 IN (Brand#1,Brand#2)") != of_brands("brand#5 IN (Brand#1,Brand#3)")


@pytest.mark.parametrize(
    "more",
    [
        "   +- Project [brand#5, upper(kind#6) AS Brand#23]",
        "   +- Project [kind#6 AS my Brand#23]",
        "   +- Relation spark_catalog.db.other[Brand#23] parquet",
        "   +- Relation spark_catalog.db.other[BRAND#23] parquet",
        "   +- Generate explode(kind#6), false, [Brand#23]",
    ],
)
def test_what_may_be_a_column_is_taken_for_one(more: str) -> None:
    assert of_brands("(brand#5 = Brand#23)", more=more).literals == NONE


def test_a_text_that_is_cut_does_not_tell_a_value_from_a_column() -> None:
    cut = "   +- Relation spark_catalog.db.wide[a#40,b#41,... 30 more fields] parquet"
    assert of_brands("(brand#5 = Brand#23)", more=cut).literals == ""
    assert of_brands("(brand#5 = x)", more=cut) == of_brands("(brand#5 = x)")


def test_values_are_told_apart_where_they_stand() -> None:
    either = "((brand#5 = {}) OR (kind#6 = {}))"
    assert of_brands(either.format("Brand#12", "Brand#23")) != of_brands(either.format("Brand#23", "Brand#12"))
    assert of_brands("(brand#5 = #23)") != of_brands("(brand#5 = #45)")
    assert of_brands("(count(1)#5 > 3)") == of_brands("(count(1)#6 > 3)")


def test_a_value_is_none_of_the_columns_that_expressions_are_made_of() -> None:
    computed = "   +- Aggregate [brand#5], [brand#5, sum(CASE WHEN (brand#5 = Brand#23) THEN 1 END) AS n#30]"
    assert of_brands("(brand#5 = Brand#23)", more=computed) == of_brands("(brand#5 = Brand#23)")
    assert of_brands("(brand#5 = Brand#30)", more=computed) == of_brands("(brand#5 = Brand#30)")


def test_a_column_may_be_spelled_otherwise_than_in_its_relation() -> None:
    assert of_brands("(BRAND#5 = x)") == of_brands("(brand#5 = x)")


def test_arguments_of_a_lambda_are_no_values() -> None:
    of_numbers = [of_brands(f"exists(brand#5, lambdafunction((x#{n} > 1), lambda x#{n}, false))") for n in (70, 71)]
    assert of_numbers[0] == of_numbers[1]
    (condition,) = of_numbers[0].conditions or ()
    assert condition.columns == ""


CALL, RESULT = "near(kind#1, amount#2L)#7", "pythonUDF0#8"
_PART = "Relation spark_catalog.db.sales[kind#1,amount#2L,day#3] parquet"


def of_python(condition: str, *evaluated: str) -> QueryValues:
    """What a condition holds above operators that run Python, the last of which reads the relation."""
    plan = SCAN
    for text in reversed(evaluated):
        plan = PlanNode("BatchEvalPython", "BatchEvalPython", f"BatchEvalPython {text}", {}, {}, (plan,))
    plan = PlanNode("Filter", "Filter", f"Filter {condition}", {}, {}, (plan,))
    found = {query_values(plan, text) for text in (f"Filter {condition}\n+- {_PART}", None)}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize("condition", ["({} > 3)", "{}", "NOT {}", "({} = day#3)", "(({} > 3) AND (day#3 < 5))"])
def test_a_python_function_has_the_values_that_it_had_before_spark_took_it_out(condition: str) -> None:
    told = of_python(condition.format(RESULT), f"[{CALL}], [{RESULT}], 200")
    assert told == of_python(condition.format(CALL))
    assert told == of_python(
        condition.format("pythonUDF1#80"), f"[f(kind#1)#6, {CALL}], [pythonUDF0#79, pythonUDF1#80]"
    )
    assert told.conditions and all("db.sales.kind" in c.columns or c.columns == "db.sales.day" for c in told.conditions)


def test_partitions_of_a_hive_table_are_columns_of_it_though_its_scan_does_not_put_them_out() -> None:
    relation = "HiveTableRelation [`db`.`sales`, serde, Data Cols: [kind#1, note#2], Partition Cols: [day#3, hour#4], Pruned …]"
    text = f"Scan hive db.sales [kind#1], {relation}, [isnotnull(day#3), (day#3 = 7)]"
    scan = PlanNode("Scan", "Scan hive db.sales", text, {}, {})
    logical = "Project [kind#1]\n+- Filter (isnotnull(day#3) AND (day#3 = 7))\n   +- HiveTableRelation [db.sales, kind#1, day#3]"
    conditions = query_values(scan, logical).conditions
    assert conditions is not None and [one.columns for one in conditions] == ["db.sales.day"]


@pytest.mark.parametrize(("condition", "expected"), LIST_CASES)
def test_lists_of_values_are_sorted_however_spark_wrote_them(condition: str, expected: str) -> None:
    assert with_sorted_lists(condition) == expected
