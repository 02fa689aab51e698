"""Insight: outer join."""

from __future__ import annotations

import pytest

from tuner.advice.insights.outer_join import outer_joins
from tuner.model.insight import HiddenFilter

from .plans import facts, joined, only, values, with_key


@pytest.mark.parametrize(
    ("left", "right", "out", "smaller", "matched"),
    [
        (1000, 100, 1000, "LeftOuter", "customers"),
        (100, 1000, 1000, "RightOuter", "orders"),
        (1000, 1000, 1000, "Inner", ""),
    ],
)
def test_a_full_outer_join_that_put_out_one_sides_rows_matched_every_row_of_the_other(
    left: int, right: int, out: int, smaller: str, matched: str
) -> None:
    found = only(outer_joins, facts(joined("FullOuter", left, right, out)))
    assert found.numbers == {"smaller": smaller, "matched": matched}
    assert found.operator == "SortMergeJoin of orders with customers"
    assert values(found)["rows out"] == out
    assert found.seconds == 10


HAVING = "Filter | (isnotnull(s#20L) AND (s#20L > 10)) | number of output rows=400"


SUM = "HashAggregate | (keys=[c#1], functions=[sum({of})]) | number of output rows=500"


PARTIAL = "HashAggregate | (keys=[c#1], functions=[partial_sum({of})]) | number of output rows=500"


def aggregated(of: str, having: str = HAVING, total: str = SUM, partial: str = PARTIAL) -> str:
    lines = (having, total, "Exchange | hashpartitioning(c#1, 4) | shuffle records written=500", partial)
    return "\n".join(lines).replace("{of}", of)


UDF = """
    Filter | (pythonUDF0#31L > 10) | number of output rows=300
    BatchEvalPython | [f({of})#30L], [pythonUDF0#31L] | number of output rows=1000
"""


COUNT = SUM.replace("sum(", "count("), PARTIAL.replace("sum(", "count(")


@pytest.mark.parametrize(
    ("kind", "above", "hidden"),
    [
        pytest.param("LeftOuter", aggregated("name#12"), HiddenFilter.AGGREGATE, id="HAVING sum of the right side"),
        pytest.param("RightOuter", aggregated("amount#2"), HiddenFilter.AGGREGATE, id="HAVING sum of the left side"),
        pytest.param(
            "LeftOuter", UDF.replace("{of}", "name#12"), HiddenFilter.UDF, id="a Python UDF of the right side"
        ),
        pytest.param(
            "LeftOuter", aggregated("name#12", HAVING, *COUNT), HiddenFilter.AGGREGATE, id="HAVING count > 10"
        ),
    ],
)
def test_an_outer_join_below_a_filter_that_catalyst_cannot_see_through(
    kind: str, above: str, hidden: HiddenFilter
) -> None:
    found = only(outer_joins, facts(joined(kind, 1000, 100, 1000, above)))
    assert found.numbers == {"side": "customers" if kind == "LeftOuter" else "orders", "hidden": hidden}
    assert values(found)["rows after it"] in (300, 400)


IS_NULL = "Filter | isnull(name#12) | number of output rows=10"


AT_LEAST = HAVING.replace("(s#20L > 10)", "(s#20L >= 0)").replace("isnotnull(s#20L) AND ", "")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(joined("FullOuter", 1000, 100, 1050), id="both sides had rows without a partner"),
        pytest.param(joined("FullOuter", 1000, 0, 1000), id="a side is empty"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000), id="rows of a left outer join do not tell"),
        pytest.param(joined("Inner", 1000, 100, 1000, aggregated("name#12")), id="no outer join"),
        pytest.param(with_key("FullOuter", joined("Inner", 1000, 100, 1000)), id="a column called as a type is"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, IS_NULL), id="an anti join in other words"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("amount#2")), id="a sum of the side that stays"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("name#12 + amount#2")), id="of both sides"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, UDF.replace("{of}", "amount#2")), id="a UDF of the kept side"
        ),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("name#12", AT_LEAST, *COUNT)), id="count >= 0"),
        pytest.param(
            joined(
                "LeftOuter", 1000, 100, 1000, aggregated("name#12", "Filter | (c#1 > 10) | number of output rows=4")
            ),
            id="a filter on the key, which Catalyst pushes down",
        ),
        pytest.param(
            joined(
                "LeftOuter", 1000, 100, 1000, "Filter | ((name#12 > 5) OR isnull(amount#2)) | number of output rows=9"
            ),
            id="a filter that keeps some nulls",
        ),
    ],
)
def test_outer_joins_that_are_left_alone(text: str) -> None:
    assert not list(outer_joins(facts(text)))
