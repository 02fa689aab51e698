"""The demo's job writes what can be compared from run to run."""

from __future__ import annotations

from decimal import Decimal

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.demo.nightly import cell


def test_sums_of_doubles_are_the_same_in_whatever_order_rows_come() -> None:
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert cell(0.1 + 0.2 + 0.3) == cell(0.3 + 0.2 + 0.1)
    assert cell(0.1) != cell(0.1000001)
    assert [cell(value) for value in (None, 3, Decimal("1.10"), "x")] == [None, "3", "1.10", "x"]
