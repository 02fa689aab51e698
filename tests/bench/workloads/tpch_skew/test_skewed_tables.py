"""Few customers have a fifth of the orders, and every key still leads somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.workloads.made import SEED, made
from tuner.bench.workloads.parquet_views import parquet_views

CUSTOMERS, PARTS, ORDERS, LINES = 1500, 2000, 15_000, 60_175


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("tpch-skew", tmp_path_factory.mktemp("skew"), ["q01"]).tables


@pytest.fixture(scope="module")
def connection(tables: Path) -> Iterator[Any]:
    with parquet_views(tables, SEED) as found:
        yield found


def one(connection: Any, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


def top_share(connection: Any, table: str, key: str, places: int) -> float:
    counts = f"SELECT count(*) AS rows FROM {table} GROUP BY {key} ORDER BY 1 DESC LIMIT {places}"
    return float(one(connection, f"SELECT sum(rows) / (SELECT count(*) FROM {table}) FROM ({counts})"))


def test_three_of_1500_customers_have_a_fifth_of_the_orders(connection: Any) -> None:
    assert top_share(connection, "orders", "o_custkey", 3) == pytest.approx(
        math.log(4) / math.log(CUSTOMERS + 1), abs=0.015
    )
    assert 0.17 < top_share(connection, "orders", "o_custkey", 3) < 0.22


@pytest.mark.parametrize("places", [1, 10, 100])
def test_customers_and_parts_follow_zipfs_law(connection: Any, places: int) -> None:
    for table, key, things in (("orders", "o_custkey", CUSTOMERS), ("lineitem", "l_partkey", PARTS)):
        expected = math.log(places + 1) / math.log(things + 1)
        assert top_share(connection, table, key, places) == pytest.approx(expected, abs=0.02)


def test_few_suppliers_sell_most(connection: Any) -> None:
    assert top_share(connection, "lineitem", "l_suppkey", 10) > 0.25
    assert one(connection, "SELECT count(DISTINCT l_suppkey) FROM lineitem") > 90


def test_the_famous_have_no_small_keys(connection: Any) -> None:
    famous = "SELECT o_custkey FROM orders GROUP BY 1 ORDER BY count(*) DESC LIMIT 20"
    assert 300 < one(connection, f"SELECT avg(o_custkey) FROM ({famous})") < 1200


@pytest.mark.parametrize(
    ("child", "keys", "parent"),
    [
        ("orders", {"o_custkey": "c_custkey"}, "customer"),
        ("lineitem", {"l_orderkey": "o_orderkey"}, "orders"),
        ("lineitem", {"l_partkey": "p_partkey"}, "part"),
        ("lineitem", {"l_suppkey": "s_suppkey"}, "supplier"),
        ("lineitem", {"l_partkey": "ps_partkey", "l_suppkey": "ps_suppkey"}, "partsupp"),
    ],
)
def test_every_key_leads_somewhere(connection: Any, child: str, keys: dict[str, str], parent: str) -> None:
    on = " AND ".join(f"{key} = {other}" for key, other in keys.items())
    assert one(connection, f"SELECT count(*) FROM {child} ANTI JOIN {parent} ON {on}") == 0


def test_no_row_is_lost_or_doubled(connection: Any) -> None:
    assert one(connection, "SELECT count(*) FROM orders") == ORDERS
    assert one(connection, "SELECT count(*) FROM lineitem") == LINES
    assert one(connection, "SELECT count(DISTINCT (l_orderkey, l_linenumber)) FROM lineitem") == LINES


def test_prices_fit_the_parts_and_orders_their_lines(connection: Any) -> None:
    wrong = "SELECT count(*) FROM lineitem JOIN part ON p_partkey = l_partkey WHERE l_extendedprice <> l_quantity * p_retailprice"
    assert one(connection, wrong) == 0
    total = "SELECT l_orderkey, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) AS total FROM lineitem GROUP BY 1"
    far = f"SELECT max(abs(o_totalprice - total)) FROM orders JOIN ({total}) ON l_orderkey = o_orderkey"
    assert one(connection, far) < 0.01


def test_every_query_has_rows(tables: Path, connection: Any) -> None:
    queries = made("tpch-skew", tables.parent).queries
    assert len(queries) == 22
    assert [name for name, text in queries.items() if not connection.execute(text).fetchall()] == []


@pytest.mark.nightly
def test_a_seed_decides_the_rows(tables: Path, connection: Any, tmp_path: Path) -> None:
    digest = "SELECT sum(hash(o_orderkey, o_custkey, o_totalprice)::HUGEINT) FROM orders"
    same, other = (made("tpch-skew", tmp_path / str(seed), ["q01"], seed).tables for seed in (SEED, SEED + 1))
    for directory, equal in ((same, True), (other, False)):
        with parquet_views(directory, SEED) as again:
            assert (one(again, digest) == one(connection, digest)) is equal
    assert all(
        file.read_bytes() == (same / file.relative_to(tables)).read_bytes() for file in tables.rglob("*.parquet")
    )
