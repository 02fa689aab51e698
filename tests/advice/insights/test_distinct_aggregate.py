"""Insight: distinct aggregate."""

from __future__ import annotations

import pytest

from tuner.advice.insights.distinct_aggregate import distinct_aggregates

from .plans import facts, only, values


def expanded(column: str, rows: int = 200_000) -> str:
    return f"""
        Exchange | hashpartitioning(c#1, x#5, {column}, 4) | shuffle records written=300000; shuffle bytes written=5000
          HashAggregate | (keys=[c#1, x#5, {column}], functions=[]) | number of output rows=300000
            Expand | [[c#1, x#2, 1], [c#1, null, 2]], [c#1, x#5, {column}] | number of output rows={3 * rows}
              Scan parquet db.orders | [c#1,x#2] | number of output rows={rows}
    """


def test_distincts_of_several_columns_multiply_the_rows() -> None:
    found = only(distinct_aggregates, facts(expanded("gid#6")))
    assert found.numbers == {"groups": 3}
    assert values(found)["rows after Expand"] == 600_000


def distinct(rows: int, shuffled: int) -> str:
    return f"""
        HashAggregate | (keys=[d#3], functions=[count(distinct c#1)]) | number of output rows=4
          Exchange | hashpartitioning(d#3, 4) | shuffle records written=16
            HashAggregate | (keys=[d#3], functions=[partial_count(distinct c#1)]) | number of output rows=16
              HashAggregate | (keys=[d#3, c#1], functions=[]) | number of output rows={shuffled}
                Exchange | hashpartitioning(d#3, c#1, 4) | shuffle records written={shuffled}; shuffle bytes written=70
                  HashAggregate | (keys=[d#3, c#1], functions=[]) | number of output rows={shuffled}
                    Scan parquet db.orders | [c#1,d#3] | number of output rows={rows}
    """


def test_a_distinct_of_mostly_distinct_values() -> None:
    found = only(distinct_aggregates, facts(distinct(1_000_000, 900_000)))
    assert found.numbers == {"columns": "c"}
    assert values(found)["rows shuffled to find the distinct ones"] == 900_000


@pytest.mark.parametrize(
    "text",
    [expanded("spark_grouping_id#6"), expanded("gid#6", 900), distinct(1_000_000, 5_000), distinct(9_000, 8_000)],
    ids=["a rollup", "few rows", "few distinct values", "few rows of one distinct"],
)
def test_distincts_that_cost_little(text: str) -> None:
    assert not list(distinct_aggregates(facts(text)))
