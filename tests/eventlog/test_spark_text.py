"""Totals as Spark's history server writes them."""

from __future__ import annotations

import pytest

from .spark_text import total_in, total_text


@pytest.mark.parametrize(
    ("metric_type", "total", "text"),
    [
        ("sum", 432_018_033, "432,018,033"),
        ("sum", 0, "0"),
        ("size", 0, "0.0 B"),
        ("size", 767, "767.0 B"),
        ("size", 2047, "2047.0 B"),
        ("size", 2048, "2.0 KiB"),
        ("size", 360 << 20, "360.0 MiB"),
        ("size", 1642 << 20, "1642.0 MiB"),
        ("timing", 999, "999 ms"),
        ("timing", 8650, "8.6 s"),
        ("timing", 71_125, "1.2 m"),
        ("timing", 3_600_000, "1.00 h"),
        ("nsTiming", 583_999_999, "583 ms"),
    ],
)
def test_a_total_in_its_unit(metric_type: str, total: int, text: str) -> None:
    assert total_text(metric_type, total) == text


def test_the_total_of_many_tasks_stands_before_what_single_ones_had() -> None:
    assert (
        total_in("total (min, med, max (stageId: taskId))\n6.1 s (978 ms, 1.0 s, 1.0 s (stage 1.0: task 6))") == "6.1 s"
    )
    assert total_in("1,234") == "1,234"
