"""What hangs on the places of rows is known by its plan."""

from __future__ import annotations

import pytest

from tuner.plan.not_deterministic import not_deterministic

from .trees import plan

JOIN = """BroadcastHashJoin | [id#1L], [id#2L], Inner, BuildRight, false
    Scan parquet | default.f[id#1L]
    Scan parquet | default.g[id#2L]"""

BELOW = JOIN.replace("    ", "      ")
FILES = "Scan parquet | default.f[id#1L]"
LIMITED = "LIMIT without ORDER BY"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Project | [id#1L, rand(7) AS u#2]\n  Scan parquet | default.f[id#1L]", "rand"),
        ("Project | [monotonically_increasing_id() AS u#2L]\n  Scan parquet | default.f[id#1L]", "monotonically_increasing_id"),
        ("Filter | (rand(-93) < 0.5)\n  Scan parquet | default.f[id#1L]", "rand"),
        ("Project | [SPARK_PARTITION_ID() AS p#3]\n  Scan parquet | default.f[id#1L]", "spark_partition_id"),
        ("Project | [id#1L]\n  Sample | 0.0, 0.6, false, 7\n    Scan parquet | default.f[id#1L]", "sample"),
        (f"CollectLimit | 5\n  {JOIN}", "LIMIT without ORDER BY"),
        (f"GlobalLimit | 5\n  Project | [id#1L]\n    {JOIN.replace('    ', '      ')}", "LIMIT without ORDER BY"),
        ("CollectLimit | 21\n  Scan parquet | default.f[id#1L]", ""),
        (f"GlobalLimit | 5\n  Sort | [id#1L ASC NULLS FIRST], true, 0\n    {JOIN.replace('    ', '      ')}", ""),
        (f"TakeOrderedAndProject | (limit=5, orderBy=[id#1L ASC NULLS FIRST], output=[id#1L])\n  {JOIN}", ""),
        ("Project | [brand(id#1L) AS b#2, operand#3]\n  Scan parquet | default.f[id#1L]", ""),
        ("Project | [id#1L, sum(x#2) AS random#3]\n  Scan parquet | default.f[id#1L]", ""),
    ],
)  # fmt: skip
def test_the_first_of_it_is_named(text: str, found: str) -> None:
    assert not_deterministic(plan(text)) == found


@pytest.mark.parametrize(
    ("passed", "found"),
    [
        pytest.param("", "", id="isEmpty, or count() of a limit"),
        pytest.param("[]", "", id="in brackets"),
        pytest.param("[1 AS col#42, x AS y#43]", "", id="EXISTS"),
        ("[1 AS col#42, id#1L]", LIMITED),
        ("[(id#1L + 1) AS col#42]", LIMITED),
        ("[1 AS col#42, ... 30 more fields]", LIMITED),
    ],
)
def test_a_limit_takes_any_rows_where_all_are_alike(passed: str, found: str) -> None:
    assert not_deterministic(plan(f"CollectLimit | 1\n  Project | {passed}\n    {BELOW}")) == found
    counted = (
        f"HashAggregate | (keys=[], functions=[count(1)])\n  GlobalLimit | 5\n    Project | {passed}\n      {BELOW}"
    )
    assert not_deterministic(plan(counted)) == found


def _values_of_pivot(
    limit: str = "GlobalLimit | 10001, 0",
    order: str = "Sort | [c#3 ASC NULLS FIRST], true, 0",
    groups: str = "HashAggregate | (keys=[c#3], functions=[])",
    shuffle: str = "Exchange",
) -> str:
    """As Spark 4.3 plans what it asks for by itself."""
    lines = order, limit, f"{shuffle} | SinglePartition", "LocalLimit | 10001", groups, *BELOW.splitlines()
    return "\n".join(f"{' ' * depth}{line}" for depth, line in enumerate(lines))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (_values_of_pivot(), ""),
        pytest.param(_values_of_pivot("GlobalLimit | 10001"), "", id="Spark 3.3"),
        pytest.param(_values_of_pivot(groups="SortAggregate | (key=[c#3], functions=[])"), "", id="of what no hash map takes"),
        # What the user wrote may be reached, or was made of rows as they came.
        (_values_of_pivot("GlobalLimit | 10, 0"), LIMITED),
        (_values_of_pivot("GlobalLimit | 100010, 0"), LIMITED),
        (_values_of_pivot("GlobalLimit | 10001, 7"), LIMITED),
        (_values_of_pivot(order="Sort | [c#3 ASC NULLS FIRST], false, 0"), LIMITED),
        (_values_of_pivot(order="Sort | [d#4 ASC NULLS FIRST], true, 0"), LIMITED),
        (_values_of_pivot(groups="HashAggregate | (keys=[c#3, d#4], functions=[])"), LIMITED),
        (_values_of_pivot(groups="HashAggregate | (keys=[c#3], functions=[first(d#4)])"), LIMITED),
        (_values_of_pivot(shuffle="Filter"), LIMITED),
        (f"Sort | [id#1L ASC NULLS FIRST], true, 0\n  GlobalLimit | 10001, 0\n    {BELOW}", LIMITED),
        ("Sort | [c#3 ASC NULLS FIRST], true, 0\n  GlobalLimit | 10001, 0\n    LocalLimit | 10001", ""),
    ],
)  # fmt: skip
def test_what_spark_asks_for_the_values_of_a_pivot_is_taken_whole_or_the_job_fails(text: str, found: str) -> None:
    assert not_deterministic(plan(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Project | [id#1L, input_file_name() AS f#2]\n  {FILES}", ""),
        (f"Filter | (INPUT_FILE_NAME() = x)\n  Project | [id#1L]\n    Filter | (id#1L > 1)\n      {FILES}", ""),
        (f"Sort | [input_file_name()#2 ASC]\n  Project | [input_file_name() AS input_file_name()#2]\n    {FILES}", ""),
        (f"Project | [input_file_name() AS f#2]\n  HashAggregate | (keys=[id#1L])\n    {FILES}", "input_file_name"),
        ("Project | [input_file_name() AS f#2]\n  InMemoryTableScan | [id#1L]", "input_file_name"),
        (f"Project | [input_file_name() AS f#2, rand(7) AS u#3]\n  {FILES}", "rand"),
        (f"Project | [input_file_block_start() AS f#2]\n  {FILES}", "input_file_block_start"),
    ],
)
def test_the_file_of_a_row_is_the_same_as_long_as_the_row_is_with_its_scan(text: str, found: str) -> None:
    assert not_deterministic(plan(text)) == found
