"""Spark, in ANSI mode as by default, gives the rows that duckdb gives, for every query."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.bench.workloads.made import made
from tests.bench.workloads.rows_app import plain
from tuner.bench.workloads.parquet_views import parquet_views

APPLICATION = Path(__file__).with_name("rows_app.py")
NAMES = ("tpch", "ssb", "tpch-skew", "joins")


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_query(name: str, tmp_path: Path, spark_submit: Callable[..., Path]) -> None:
    check({name: ()}, tmp_path, spark_submit)


def check(asked: Mapping[str, Sequence[str]], directory: Path, spark_submit: Callable[..., Path]) -> None:
    found = {name: made(name, directory, queries) for name, queries in asked.items()}
    questions, rows = directory / "asked.json", directory / "rows.json"
    of = {name: {"tables": str(one.tables), "queries": dict(one.queries)} for name, one in found.items()}
    questions.write_text(json.dumps(of))
    spark_submit(APPLICATION, questions, rows, log_dir=directory / "log")
    by_spark = json.loads(rows.read_text())
    assert by_spark.keys() == found.keys()
    for name, one in found.items():
        assert by_spark[name].keys() == one.queries.keys() != set()
        with parquet_views(one.tables, 1) as connection:
            for query, text in one.queries.items():
                alike(by_spark[name][query], plain(connection.execute(text).fetchall()), f"{name} {query}")


def alike(rows: Sequence[Sequence[Any]], others: Sequence[Sequence[Any]], what: str) -> None:
    assert len(rows) == len(others) > 0, what
    for row, other in zip(rows, others, strict=True):
        assert len(row) == len(other), what
        assert all(map(same, row, other)), (what, row, other)


def same(value: Any, other: Any) -> bool:
    """Spark rounds the mean of decimals after four more digits than they have."""
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, rel_tol=1e-5, abs_tol=1e-6)
    return bool(value == other)
