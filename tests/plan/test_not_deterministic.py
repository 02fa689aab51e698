"""What hangs on the places of rows is known by its plan."""

from __future__ import annotations

import pytest

from tuner.plan.not_deterministic import not_deterministic

from .trees import plan


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Project | [id#1L, rand(7) AS u#2]\n  Scan parquet | default.f[id#1L]", "rand"),
        ("Project | [monotonically_increasing_id() AS u#2L]\n  Scan parquet | default.f[id#1L]", "monotonically_increasing_id"),
        ("Filter | (rand(-93) < 0.5)\n  Scan parquet | default.f[id#1L]", "rand"),
        ("Project | [SPARK_PARTITION_ID() AS p#3]\n  Scan parquet | default.f[id#1L]", "spark_partition_id"),
        ("Project | [id#1L]\n  Sample | 0.0, 0.6, false, 7\n    Scan parquet | default.f[id#1L]", "sample"),
        ("Project | [brand(id#1L) AS b#2, operand#3]\n  Scan parquet | default.f[id#1L]", ""),
        ("Project | [id#1L, sum(x#2) AS random#3]\n  Scan parquet | default.f[id#1L]", ""),
    ],
)  # fmt: skip
def test_the_first_of_it_is_named(text: str, found: str) -> None:
    assert not_deterministic(plan(text)) == found
