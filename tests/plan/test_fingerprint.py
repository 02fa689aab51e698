"""What makes a query the same one in the next run, and what makes it another."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.eventlog.samples import read
from tuner.plan.aggregate import aggregate_parts, without_phase
from tuner.plan.fingerprint import fingerprint, fingerprints
from tuner.plan.joins import every_join
from tuner.plan.node import build_tree

from .trees import FIXTURES, fixture, plan

REPORT = fixture("report.txt")


def of(text: str) -> str:
    root = plan(text)
    return fingerprint(root, every_join(root))


def test_it_is_sixteen_hex_digits() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", of(REPORT))


def test_the_same_report_on_another_night_planned_otherwise() -> None:
    assert of(REPORT) == of(fixture("report_steered.txt"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2024-01-01", "2023-12-31"),
        ("#", "#9"),
        (", 200)", ", 17)"),
        ("plan_id=", "plan_id=4"),
        ("isFinalPlan=false", "isFinalPlan=true"),
        ("price#2,quantity#4", "quantity#4,price#2"),
        ("file:/lake/sales]", "file:/lake/sales/2024/01/01]"),
        (
            "SortMergeJoin | [item_sk#1], [i_item_sk#30], Inner",
            "ShuffledHashJoin | [item_sk#1], [i_item_sk#30], Inner, BuildRight",
        ),
    ],
)
def test_it_outlives(old: str, new: str) -> None:
    changed = REPORT.replace(old, new)
    assert changed != REPORT
    assert of(changed) == of(REPORT)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("StringIndexer_7c1b09d2f3aa__output", "StringIndexer_098765432109__output"),
        ("CrossValidator_7c1b09d2f3aa_rand", "CrossValidator_ffb0a1c2d3e4_rand"),
        ("mbc$acc7c1b09d2-1a2b-4c3d-8e9f-0a1b2c3d4e5f", "mbc$accffb0a1c2-1a2b-4c3d-8e9f-0a1b2c3d4e60"),
    ],
)
def test_it_outlives_names_that_mllib_makes_up(first: str, second: str) -> None:
    one, other = (REPORT.replace("amount#", f"{name}#") for name in (first, second))
    assert of(one) == of(other) != of(REPORT)


def test_files_that_are_read_are_the_same_by_their_whole_name() -> None:
    one, other = (REPORT.replace("/lake/item", f"/lake/item_{id_}") for id_ in ("7c1b09d2f3aa", "ffb0a1c2d3e4"))
    assert of(one) != of(other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("file:/lake/sales", "file:/lake/returns"),
        ("file:/out/report", "file:/out/other"),
        (", Inner", ", LeftOuter"),
        ("[item_sk#1], [i_item_sk#30]", "[quantity#4], [i_item_sk#30]"),
        ("(day#5 >= ", "(day#5 < "),
        ("(day#5 >= 2024-01-01)", "(price#2 >= 2024-01-01)"),
        ("_sum(amount#3)", "_max(amount#3)"),
        ("keys=[brand#31]", "keys=[]"),
        ("rank(total#40)", "dense_rank(total#40)"),
        ("Sort | [brand#31 ASC NULLS FIRST], true", "Sort | [amount#3 ASC NULLS FIRST], true"),
        ("(price#2 * quantity#4)", "(price#2 * day#5)"),
        ("[item_sk#1,price#2,", "[item_sk#1,price#2,tax#6,"),
    ],
)
def test_another_query_is_another(old: str, new: str) -> None:
    changed = REPORT.replace(old, new)
    assert changed != REPORT
    assert of(changed) != of(REPORT)


def test_it_outlives_the_days_that_columns_and_tables_are_called_by() -> None:
    """PIVOT names columns by values, reports name them by days, and a night may have a table of its own."""
    report = """
    Project | [region#1, __pivot_sum(amount)#9[0] AS 2024-01-30#11, __pivot_sum(amount)#9[1] AS sold_2024_01_31#12]
      HashAggregate | (keys=[region#1], functions=[pivotfirst(day#2, sum(amount)#8, 2024-01-30, 2024-01-31, 0, 0)])
        HashAggregate | (keys=[region#1, day#2], functions=[sum(amount#3)])
          Scan parquet stage.sales_20240131 | [region#1,day#2,amount#3]
    """
    next_night = report
    for old, new in (("01-31", "02-01"), ("01-30", "01-31"), ("01_31", "02_01"), ("0131", "0201")):
        next_night = next_night.replace(old, new)
    assert of(next_night) == of(report)
    assert of(report.replace("sold_2024_01_31", "sold_to_date")) != of(report)


@pytest.mark.parametrize("column", ["2026-11", "202611", "rev_2026_11", "2026-11_total"])
def test_it_outlives_the_months_that_columns_are_called_by(column: str) -> None:
    def report(name: str) -> str:
        return of(f"""
        Sort | [{name}#11 DESC NULLS LAST], true, 0
          Project | [region#1, __pivot_sum(x)#9[0] AS {name}#11, __pivot_sum(x)#9[1] AS total#12]
            HashAggregate | (keys=[region#1], functions=[pivotfirst(month#2, sum(x)#8, 2026-11, 0, 0)])
              Scan parquet default.sales | [region#1,month#2,x#3]
        """)

    assert report(column) == report(column.replace("11", "12")) == report(column.replace("2026", "1999"))
    assert report(column) != report(column.replace("11", "13"))
    assert report(column) != report("total")


def test_a_number_in_a_name_is_no_month() -> None:
    def summed(*columns: str) -> str:
        aliases = ", ".join(f"x#2 AS {column}#{number}" for number, column in enumerate(columns, 10))
        return of(f"Project | [{aliases}]\n  Scan parquet default.sales | [x#2]")

    assert summed("sku1202611") != summed("sku1202612")
    assert summed("sku_202611b") != summed("sku_202612b")
    assert summed("x_2026_10", "x_2026_11") == summed("x_2026_11", "x_2026_12") != summed("x_2026_11")


def test_it_is_the_same_however_much_of_its_lists_is_printed() -> None:
    """What `import` takes in was printed by Spark's own default."""
    printed: dict[str, dict[str, str]] = {"25": {}, "100": {}}
    for execution in read(FIXTURES / "wide.zstd").executions:
        fields, _, name = execution.description.partition(" ")
        if fields in printed and execution.initial_plan:
            root = build_tree(execution.initial_plan, {})
            printed[fields][name] = fingerprint(root, every_join(root))
    assert printed["25"] == printed["100"]
    assert len(printed["25"]) == len(set(printed["25"].values())) == 8


COLUMNS = [f"c{number:02}#{number}" for number in range(60)]


# As one run prints them all, and others the first 24 or 25 of them.
AS_PRINTED = [
    ", ".join(COLUMNS),
    *(f"{', '.join(COLUMNS[:many])}, ... {60 - many} more fields" for many in (24, 25)),
]


@pytest.mark.parametrize(
    "operator",
    [
        "HashAggregate | (keys=[{}], functions=[], output=[])",
        "Sort | [{}], true, 0",
        "Generate | explode(xs#99), [{}], false, [x#98]",
        "Scan parquet default.wide | [{}]",
        "BatchScan cat.db.wide | [{}] cat.db.wide",
    ],
)
def test_of_a_long_list_it_has_what_every_run_prints(operator: str) -> None:
    below = "" if "Scan" in operator else "\n  Scan parquet default.t | [k#1]"
    assert len({of(operator.format(columns) + below) for columns in AS_PRINTED}) == 1


def test_a_long_list_of_files_columns_is_told_by_their_schema() -> None:
    """Partitions are not in it, and come last in the list."""

    def read_by(columns: str, schema: str) -> str:
        scan = plan(f"Scan parquet default.wide | [{columns}] Batched: true")
        scan = msgspec.structs.replace(scan, metadata={"ReadSchema": f"struct<{schema}>"})
        return fingerprint(scan, ())

    schema = ",".join(f"{column.partition('#')[0]}:int" for column in COLUMNS[:50])
    assert len({read_by(columns, schema) for columns in AS_PRINTED}) == 1
    assert read_by(AS_PRINTED[1], schema) != read_by(AS_PRINTED[1], f"{schema},c99:int")
    assert read_by("c00#1, day#2", "c00:int") == read_by("c00#1, day#2", "") != read_by("c00#1", "c00:int")


def test_a_comma_in_a_value_makes_no_list_longer() -> None:
    """Whatever the values of a night: each part of a projection ends with the id of its column."""

    def having(values: int) -> str:
        within = ", ".join(map(str, range(values)))
        told = f"CASE WHEN a#1 INSET {within} THEN b#2 ELSE c#3 END AS d#4, (e#5 + 1) AS f#6"
        return of(f"Project | [{told}]\n  Scan parquet default.t | [a#1,b#2,c#3,e#5]")

    assert having(20) == having(30) == having(90)


def test_a_query_twice_in_one_plan_is_not_the_query_once() -> None:
    scan = "Scan parquet default.orders | [k#1]"
    assert of(f"Union\n  {scan}\n  {scan}") != of(f"Union\n  {scan}\n  {scan}\n  {scan}")


def test_a_join_without_keys_is_the_same_by_either_name() -> None:
    sides = "\n  Scan parquet a | [x#1]\n  Scan parquet b | [y#2]"
    assert of("CartesianProduct" + sides) == of("BroadcastNestedLoopJoin | BuildRight, Inner" + sides)


A, B, C = (f"Scan parquet t.{name} | [{name}k#{number},{name}v#{number + 3}]" for number, name in enumerate("abc", 1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            f"""
            SortMergeJoin | [bk#2, av#4], [ck#3, cv#6], Inner
              SortMergeJoin | [ak#1], [bk#2], Inner
                {A}
                {B}
              {C}
            """,
            f"""
            BroadcastHashJoin | [ak#1, ck#3], [bk#2, bk#2], Inner, BuildRight
              Project | [ak#1, ck#3]
                SortMergeJoin | [av#4], [cv#6], Inner
                  {A}
                  {C}
              {B}
            """,
            id="keys of one join come from two",
        ),
        pytest.param(
            f"""
            SortMergeJoin | [(av#4 + cast(bv#5 as bigint))], [cv#6], Inner
              SortMergeJoin | [ak#1], [bk#2], Inner
                {A}
                {B}
              {C}
            """,
            f"""
            SortMergeJoin | [ak#1], [bk#2], Inner, ((av#4 + cast(bv#5 as bigint)) = cv#6)
              CartesianProduct
                {A}
                {C}
              {B}
            """,
            id="an equation over three relations is no key where two of them come from one side",
        ),
    ],
)
def test_joins_in_another_order_are_the_same_query(one: str, other: str) -> None:
    assert of(one) == of(other)


def test_an_equation_more_is_another_query() -> None:
    sides = f"\n  {A}\n  {B}"
    joined = of(f"SortMergeJoin | [ak#1], [bk#2], Inner{sides}")
    assert of(f"SortMergeJoin | [ak#1, av#4], [bk#2, bv#5], Inner{sides}") != joined
    assert of(f"SortMergeJoin | [ak#1], [bk#2], Inner, (av#4 = bv#5){sides}") != joined


def test_keys_of_an_outer_join_stay_together() -> None:
    def two(first: str, second: str) -> str:
        return f"""
            SortMergeJoin | {first}, LeftOuter
              SortMergeJoin | {second}, LeftOuter
                {A}
                {B}
              {C}
        """

    together = two("[ak#1, bk#2], [ck#3, ck#3]", "[av#4], [bv#5]")
    apart = two("[ak#1], [ck#3]", "[bk#2, av#4], [ck#3, bv#5]")
    assert of(together) != of(apart)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "HashAggregate | (keys=[a#1, b#2[0]], functions=[sum(x#3), max(y#4[1])])",
            ("a#1, b#2[0]", "sum(x#3), max(y#4[1])"),
        ),
        ("SortAggregate | (key=[a#1], functions=[])", ("a#1", "")),
        ("ObjectHashAggregate | (keys=[], functions=[collect_list(x#3, 0, 0)])", ("", "collect_list(x#3, 0, 0)")),
        ("Project | [a#1]", None),
    ],
)
def test_aggregates_taken_apart(text: str, parts: tuple[str, str] | None) -> None:
    assert aggregate_parts(plan(text)) == parts


def test_phases_of_an_aggregate_are_one() -> None:
    assert without_phase("partial_sum(a#1), merge_max(b#2), count(c#3)") == "sum(a#1), max(b#2), count(c#3)"
    assert without_phase("my_partial_sum(a#1)") == "my_partial_sum(a#1)"


_WRITE = "{writer}\n  Scan parquet default.f | [id#1L]"
_DELTA = "org.apache.spark.sql.delta.sources.DeltaDataSource"
_FUNCTION = "org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy$$Lambda"


def _of_write(writer: str) -> str:
    return of(_WRITE.format(writer=writer))


@pytest.mark.parametrize(
    ("one", "night", "other"),
    [
        # As Spark 3.5 with Java 17 and Spark 4 with Java 21 print the writers of Iceberg tables.
        (
            f"OverwriteByExpression | {_FUNCTION}$5137/0x00007fab514d3d48@4c6d26b1, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"OverwriteByExpression | {_FUNCTION}$4955/0x00007f61b5367850@4369fec4, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"OverwriteByExpression | {_FUNCTION}$5137/0x00007fab514d3d48@4c6d26b1, IcebergWrite(table=ice.db.p, format=PARQUET)",
        ),
        # As Spark 3.5 with Java 8.
        (
            f"OverwriteByExpression | {_FUNCTION}$2293/1470843699@46290193, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"OverwriteByExpression | {_FUNCTION}$2311/98213345@1b4c2a0f, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"OverwriteByExpression | {_FUNCTION}$2293/1470843699@46290193, IcebergWrite(table=ice.db.p, format=PARQUET)",
        ),
        (
            f"AppendData | {_FUNCTION}/0x00007f53a0f2f6a8@7c1, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"AppendData | {_FUNCTION}/0x00007f5aa0f2f6a8@51b2c3d4, IcebergWrite(table=ice.db.o, format=PARQUET)",
            f"OverwritePartitionsDynamic | {_FUNCTION}/0x00007f53a0f2f6a8@7c1, IcebergWrite(table=ice.db.o, format=PARQUET)",
        ),
        (
            f"Execute SaveIntoDataSourceCommand | {_DELTA}@4b5e, Map(path -> /lake/o), Append",
            f"Execute SaveIntoDataSourceCommand | {_DELTA}@13f2, Map(path -> /lake/o), Append",
            f"Execute SaveIntoDataSourceCommand | {_DELTA}@4b5e, Map(path -> /lake/p), Append",
        ),
        # An account is no object.
        (
            "Execute InsertIntoHadoopFsRelationCommand | abfss://lake@face.dfs.core.windows.net/o, false, Parquet",
            "Execute InsertIntoHadoopFsRelationCommand | abfss://lake@face.dfs.core.windows.net/o, false, Parquet",
            "Execute InsertIntoHadoopFsRelationCommand | abfss://lake@cafe.dfs.core.windows.net/o, false, Parquet",
        ),
        # A table for each month.
        (
            "Execute CreateDataSourceTableAsSelectCommand | `spark_catalog`.`stage`.`o_202401`, ErrorIfExists, [id]",
            "Execute CreateDataSourceTableAsSelectCommand | `spark_catalog`.`stage`.`o_202402`, ErrorIfExists, [id]",
            "Execute CreateDataSourceTableAsSelectCommand | `spark_catalog`.`stage`.`p_202401`, ErrorIfExists, [id]",
        ),
    ],
)  # fmt: skip
def test_a_writer_is_known_by_what_it_writes_to(one: str, night: str, other: str) -> None:
    assert _of_write(one) == _of_write(night) != _of_write(other)


def _of_target(target: str) -> str:
    return _of_write(f"Execute InsertIntoHadoopFsRelationCommand | {target}, false, Parquet, Overwrite")


@pytest.mark.parametrize(
    ("one", "night"),
    [
        ("s3://lake/spark-app-8f3a1c/o", "s3://lake/spark-app-09be77f2d1/o"),
        ("/lake/o/attempt_1", "/lake/o/attempt_2"),
        ("/lake/attempt-1/o", "/lake/attempt-12/o"),
        ("`db`.`clean_tmp_83af`", "`db`.`clean_tmp_b07c`"),
        ("/lake/run_7c1b09d2f3aa/o", "/lake/run_0d2f3aa7c1b9/o"),
        ("/stage/3fa91b0c.parquet", "/stage/7b30c1fe.parquet"),
    ],
)
def test_a_target_is_the_same_whatever_a_run_calls_its_own_folder(one: str, night: str) -> None:
    assert _of_target(one) == _of_target(night)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/lake/sales_2024a", "/lake/sales_2024b"),
        ("/lake/sales_feb2024", "/lake/sales_dec2024"),
        ("/lake/o_v2", "/lake/o_v3"),
        ("/lake/decade90", "/lake/decade80"),
        ("/lake/o_123456", "/lake/o_123457"),
        ("/lake/facade", "/lake/decade"),
        ("/lake/c0ffee1z", "/lake/c0ffee2z"),
        ("s3://acme-3fa91b0c/o", "s3://acme-7b30c1fe/o"),
        ("/lake/tmp_o", "/lake/tmp_p"),
        ("/lake/tmp_2024", "/lake/tmp_2025"),
        ("/lake/o_attempts", "/lake/o_attempt"),
    ],
)
def test_other_targets_are_others(one: str, other: str) -> None:
    assert _of_target(one) != _of_target(other)


def test_a_statement_is_the_same_whatever_it_writes_to() -> None:
    def statement(text: str) -> str:
        root = plan(text)
        return fingerprints(root, every_join(root)).statement

    blue, green = (
        statement(_WRITE.format(writer=f"Execute InsertIntoHadoopFsRelationCommand | /{name}/o, false, Parquet"))
        for name in ("blue", "green")
    )
    other = statement(
        _WRITE.format(writer="Execute InsertIntoHadoopFsRelationCommand | /blue/o, false").replace("f |", "g |")
    )
    assert blue == green != other
    assert not statement("Scan parquet default.f | [id#1L]")
