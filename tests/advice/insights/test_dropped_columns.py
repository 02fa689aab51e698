"""Insight: dropped columns."""

from __future__ import annotations

import pytest

from tuner.advice.insights.dropped_columns import dropped_columns
from tuner.spark.knobs import NESTED_SCHEMA_PRUNING

from .plans import facts, only


def read(columns: str, schema: str, project: str, condition: str = "(a#1 > 5)") -> str:
    return f"""
        Project | [{project}]
          Filter | {condition} | number of output rows=5
            Scan parquet db.orders | [{columns}] ReadSchema: struct<{schema}> | number of output rows=9; scan time=8000
    """


def test_columns_that_nothing_uses() -> None:
    found = only(dropped_columns, facts(read("a#1,b#2", "a:int,b:string", "a#1")))
    assert found.numbers == {"columns": "b", "count": 1, "property": ""}
    assert found.seconds == 4


FIELDS = read("s#1,d#2", "s:struct<x:int,y:decimal(7,2),z:struct<p:int>>,d:int", "s#1.x AS x#5, d#2", "(s#1.x > 5)")


def test_fields_that_nothing_uses() -> None:
    assert only(dropped_columns, facts(FIELDS)).numbers == {"columns": "s.y, s.z", "count": 2, "property": ""}
    unpruned = only(dropped_columns, facts(FIELDS, conf={NESTED_SCHEMA_PRUNING.property: "false"}))
    assert unpruned.numbers["property"] == NESTED_SCHEMA_PRUNING.property


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(read("a#1,b#2", "a:int,b:int", "a#1, b#2"), id="all are used"),
        pytest.param(read("a#1,b#2", "a:int,b:int", "b#2"), id="one by the filter"),
        pytest.param(read("a#1,b#2", "a:int", "a#1"), id="a partition column is not read"),
        pytest.param(read("s#1", "s:struct<x:int,y:int>", "s#1", "(s#1.x > 5)"), id="all of a struct"),
        pytest.param(
            read(
                "user#1", "user:struct<id:bigint,ua:string,bot:boolean>", "user#1.id AS id#5", "NOT user#1.bot"
            ).replace("Scan parquet db.orders", "Scan json "),
            id="of JSON a struct is read whole",
        ),
        pytest.param(read("a#1,b#2", "a:int,... 2 more fields", "a#1"), id="a schema cut short"),
        pytest.param(read("a#1,b#2", "a:int,b:int", "a#1, ... 9 more fields"), id="a projection cut short"),
        pytest.param(
            "Scan parquet db.o | [a#1] ReadSchema: struct<a:int> | number of output rows=9", id="nothing above"
        ),
    ],
)
def test_columns_that_are_used(text: str) -> None:
    assert not list(dropped_columns(facts(text)))
