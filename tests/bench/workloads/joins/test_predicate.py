"""A row passes the filters that were made of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tuner.bench.workloads.joins.predicate import predicate
from tuner.bench.workloads.joins.template import Filter, Shape
from tuner.bench.workloads.parquet_views import duckdb_connection

VALUES: list[tuple[Shape, Any, int]] = [
    (Shape.EQUAL, "it's", 0),
    (Shape.ONE_OF, "b", 0),
    (Shape.AT_LEAST, 1999, 10),
    (Shape.AT_LEAST, Decimal("7.4"), 1),
    (Shape.AT_MOST, date(2001, 2, 3), 40),
    (Shape.AROUND, 1999, 10),
    (Shape.CONTAINS, "Silent River of the Wolf", 0),
    (Shape.CONTAINS, "2001", 0),
    (Shape.STARTS, "Garcia, Ines", 0),
    (Shape.PRESENT, "(voice)", 0),
    *((shape, None, 1) for shape in Shape),
]


@pytest.mark.parametrize("drawn", [0.0, 0.4, 0.999999])
@pytest.mark.parametrize(("shape", "value", "spread"), VALUES)
def test_the_row_passes(shape: Shape, value: Any, spread: int, drawn: float) -> None:
    text = predicate(Filter("r", "v", shape, spread), value, ["a", "b", None, "c"], lambda purpose: drawn)
    with duckdb_connection() as connection:
        assert connection.execute(f"SELECT {text} FROM (SELECT ? AS v) AS r", [value]).fetchone() == (True,)


def test_ranges_reach_as_far_as_was_drawn() -> None:
    of = Filter("t", "year", Shape.AROUND, 10)
    assert predicate(of, 2000, (), {"below": 0.35, "above": 0.99}.__getitem__) == "t.year BETWEEN 1997 AND 2009"


def test_a_list_has_the_value_and_others_in_order() -> None:
    of = Filter("k", "word", Shape.ONE_OF)
    assert predicate(of, "m", ["m", "z", None, "a", "q"], lambda purpose: 0.3) == "k.word IN ('a', 'm', 'z')"
