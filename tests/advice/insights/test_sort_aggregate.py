"""Insight: sort aggregate."""

from __future__ import annotations

import pytest

from tuner.advice.insights.sort_aggregate import sort_aggregates
from tuner.spark.knobs import OBJECT_HASH_AGGREGATE

from .plans import facts, only, values

SORTED = """
    SortAggregate | (key=[c#1], functions=[max(name#2)]) | number of output rows=400
      Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500
        Exchange | hashpartitioning(c#1, 4) | shuffle records written=800; shuffle bytes written=5
          SortAggregate | (key=[c#1], functions=[partial_max(name#2)]) | number of output rows=800
            {sort}
              Scan parquet db.orders | [c#1,name#2] | number of output rows=9000
"""


SORTED_TWICE = SORTED.replace("{sort}", "Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=700")
COLLECTED = SORTED_TWICE.replace("max(", "collect_set(")
HASH_OFF = {OBJECT_HASH_AGGREGATE.property: "false"}


def test_a_sort_aggregate_is_told_once_for_both_halves() -> None:
    found = only(sort_aggregates, facts(SORTED_TWICE))
    assert found.numbers == {"property": "", "functions": "max", "columns": "name", "keys": "c"}
    assert values(found)["rows sorted"] == 9800
    assert values(found)["sorting, in all tasks"] == 1.2
    assert found.seconds == pytest.approx(0.6, abs=0.01)  # 1.2 s of the 20 s that the tasks of both stages ran in 10 s


def test_object_hash_aggregation_that_is_off() -> None:
    assert only(sort_aggregates, facts(COLLECTED)).numbers["functions"] == ""
    off = facts(COLLECTED, conf=HASH_OFF)
    assert only(sort_aggregates, off).numbers["property"] == OBJECT_HASH_AGGREGATE.property


def test_what_came_sorted_anyway_costs_nothing() -> None:
    text = """
        SortAggregate | (key=[c#1], functions=[max(name#2)]) | number of output rows=400
          SortMergeJoin | [c#1], [c#11], Inner | number of output rows=900
            Scan parquet db.orders | [c#1,name#2] | number of output rows=900
            Scan parquet db.customers | [c#11] | number of output rows=900
    """
    assert not list(sort_aggregates(facts(text)))
