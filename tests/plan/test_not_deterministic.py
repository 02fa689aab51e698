"""What hangs on the places of rows is known by its plan."""

from __future__ import annotations

import pytest

from tuner.plan.not_deterministic import not_deterministic

from .trees import plan

JOIN = """BroadcastHashJoin | [id#1L], [id#2L], Inner, BuildRight, false
    Scan parquet | default.f[id#1L]
    Scan parquet | default.g[id#2L]"""


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
