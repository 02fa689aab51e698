"""Insight: unpushed filter."""

from __future__ import annotations

import pytest

from tuner.advice.insights.unpushed_filter import unpushed_filters
from tuner.model.insight import NotPushed

from .plans import facts, only


def filtered(
    condition: str, pushed: str = "[IsNotNull(c)]", kept: int = 50, name: str = "Scan parquet db.orders"
) -> str:
    return f"""
        Filter | {condition} | number of output rows={kept}
          {name} | [c#1,amount#2] Format: Parquet, PushedFilters: {pushed} | number of output rows=90000; scan time=4000
    """


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("(isnotnull(c#1) AND (cast(c#1 as string) = 5))", NotPushed.CAST),
        ("(isnotnull(c#1) AND (UDF(c#1) = 5))", NotPushed.UDF),
        ("(isnotnull(c#1) AND (substring(c#1, 1, 2) = xy))", NotPushed.FUNCTION),
        ("(isnotnull(c#1) AND ((c#1 + 1) = 5))", NotPushed.ARITHMETIC),
    ],
)
def test_a_filter_that_does_not_reach_the_scan(condition: str, why: NotPushed) -> None:
    found = only(unpushed_filters, facts(filtered(condition)))
    assert found.numbers == {"why": why, "function": "substring" if why is NotPushed.FUNCTION else ""}
    assert found.operator == "Filter on c over Scan of orders"
    assert found.seconds == 2  # the scan's 4 s of the 20 s that the tasks ran in 10 s


PYTHON_UDF = """
    Filter | (pythonUDF0#9 = 6) | number of output rows=5
      BatchEvalPython | [f(c#1)#8], [pythonUDF0#9] | number of output rows=90000
        Scan parquet db.orders | [c#1] Format: Parquet, PushedFilters: [] | number of output rows=90000
"""


def test_a_python_udf_between_the_filter_and_the_scan() -> None:
    assert only(unpushed_filters, facts(PYTHON_UDF)).numbers["why"] is NotPushed.PYTHON_UDF


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(filtered("(isnotnull(c#1) AND (c#1 = 5))", "[IsNotNull(c), EqualTo(c,5)]"), id="it was pushed"),
        pytest.param(
            filtered("((cast(c#1 as string) = 5) AND (amount#2 > 5))", "[GreaterThan(amount,5)]"), id="in part"
        ),
        pytest.param(filtered("(cast(c#1 as string) = 5)", kept=80_000), id="it drops few rows"),
        pytest.param(filtered("(c#1 = amount#2)"), id="no scan compares two columns"),
        pytest.param(filtered("(cast(c#1 as string) = Subquery subquery#5)"), id="known only when it runs"),
        pytest.param(filtered("might_contain(Subquery subquery#5, xxhash64(c#1, 42))"), id="a runtime filter"),
        pytest.param(filtered("isnotnull(c#1)"), id="nothing to push"),
        pytest.param(
            filtered("(cast(c#1 as string) = 5)", name="Scan json db.orders").replace("Parquet", "JSON"), id="JSON"
        ),
    ],
)
def test_filters_that_reached_the_scan_or_cannot(text: str) -> None:
    assert not list(unpushed_filters(facts(text)))


CACHED = """
    Filter | (isnotnull(c#1) AND (c#1 = 5)) | number of output rows=5
      InMemoryTableScan | [c#1], [isnotnull(c#1), (c#1 = 5)] | number of output rows=90000
"""


def test_a_filter_over_a_cache() -> None:
    assert only(unpushed_filters, facts(CACHED)).numbers["why"] is NotPushed.CACHE
