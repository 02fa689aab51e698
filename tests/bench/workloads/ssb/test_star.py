"""The star of the paper: its tables, its flights, and literals that hit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.bench.workloads.made import SEED, Made, made
from tuner.bench.workloads.parquet_views import parquet_views
from tuner.bench.workloads.ssb.star_literals import literals
from tuner.bench.workloads.ssb.star_tables import star_tables


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made("ssb", tmp_path_factory.mktemp("ssb"))


@pytest.fixture(scope="module")
def connection(star: Made) -> Iterator[Any]:
    with parquet_views(star.tables, SEED) as found:
        yield found


def one(connection: Any, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


def test_tables_are_as_large_as_the_paper_has_them(connection: Any) -> None:
    rows = {table: one(connection, f"SELECT count(*) FROM {table}") for table in star_tables(0.01)}
    assert rows == {"customer": 300, "date": 2557, "lineorder": 60_175, "part": 2000, "supplier": 20}


@pytest.mark.parametrize(("scale_factor", "parts"), [(0.1, 20_000), (1, 200_000), (2, 400_000), (10, 800_000)])
def test_parts_grow_by_the_logarithm(scale_factor: float, parts: int) -> None:
    assert f"p_partkey <= {parts} " in star_tables(scale_factor)["part"]


@pytest.mark.parametrize(
    ("key", "to"),
    [
        ("lo_custkey", "customer.c_custkey"),
        ("lo_partkey", "part.p_partkey"),
        ("lo_suppkey", "supplier.s_suppkey"),
        ("lo_orderdate", "date.d_datekey"),
        ("lo_commitdate", "date.d_datekey"),
    ],
)
def test_every_key_leads_to_one_row(connection: Any, key: str, to: str) -> None:
    table, column = to.split(".")
    assert one(connection, f"SELECT count(*) FROM lineorder JOIN {table} ON {column} = {key}") == 60_175


def test_places_and_makers_are_nested(connection: Any) -> None:
    assert one(connection, "SELECT count(*) FROM customer WHERE trim(left(c_city, 9)) <> trim(left(c_nation, 9))") == 0
    assert one(connection, "SELECT count(DISTINCT c_region) FROM customer") == 5
    assert one(connection, "SELECT count(*) FROM part WHERE left(p_brand1, 7) <> p_category") == 0
    assert one(connection, "SELECT count(*) FROM part WHERE left(p_category, 6) <> p_mfgr") == 0
    assert one(connection, "SELECT count(DISTINCT p_category) FROM part") == 25
    of_category = "SELECT count(DISTINCT p_brand1) AS brands FROM part GROUP BY p_category"
    assert 36 <= one(connection, f"SELECT max(brands) FROM ({of_category})") <= 40


def test_revenue_is_the_price_less_the_discount(connection: Any) -> None:
    off = "SELECT max(abs(lo_revenue - lo_extendedprice * (100 - lo_discount) / 100)) FROM lineorder"
    assert one(connection, off) < 0.01


def test_there_are_thirteen_queries_in_four_flights(star: Made) -> None:
    assert Counter(name[1] for name in star.queries) == {"1": 3, "2": 3, "3": 4, "4": 3}


@pytest.mark.parametrize("seed", [SEED, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 3))])
def test_every_query_has_an_answer_with_any_seed(star: Made, connection: Any, seed: int) -> None:
    for name, text in made("ssb", star.tables.parent, (), seed).queries.items():
        rows = connection.execute(text).fetchall()
        assert rows, name
        assert all(value is not None for value in rows[0]), name


def test_a_seed_changes_literals_alone(star: Made) -> None:
    again, other = (made("ssb", star.tables.parent, (), seed) for seed in (SEED, 2))
    assert again == star
    assert other.tables == star.tables
    assert sum(other.queries[name] != text for name, text in star.queries.items()) > 9
    for name, text in star.queries.items():
        assert _without_literals(other.queries[name]) == _without_literals(text)


def _without_literals(text: str) -> str:
    return re.sub(r"'[^']*'|\b\d+\b", "?", text)


def test_ranges_hold_the_row_and_stay_within_the_calendar() -> None:
    row = {"d_year": 1998, "lo_discount": 0, "lo_quantity": 30, "p_mfgr": "MFGR#5", "p_brand1": "MFGR#5503"}
    found = literals(row)
    assert (found["year_from"], found["year_to"]) == (1993, 1998)
    assert (found["discount_from"], found["discount_to"]) == (0, 1)
    assert (found["quantity_from"], found["quantity_to"]) == (26, 35)
    assert (found["other_mfgr"], found["eighth_brand"]) == ("MFGR#1", "MFGR#5510")
