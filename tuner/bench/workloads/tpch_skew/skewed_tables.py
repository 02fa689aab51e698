"""TPC-H's orders and lines with other foreign keys: Zipf's law decides who has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# Which table holds the rows of a skewed one.
SKEWED: Mapping[str, str] = {"lineitem": "_lineitem", "orders": "_orders"}

# The first k of n have a share of log(k + 1) / log(n + 1): at scale factor 1 ten of 150,000 customers have a fifth of the orders,
# and ten of 200,000 parts a fifth of the lines. TPC-H (specification 4.2.3) draws both uniformly.
_STEPS = (
    """CREATE TABLE _customer AS
    SELECT c_custkey, row_number() OVER (ORDER BY draw(c_custkey, 'fame of a customer'), c_custkey) AS place
    FROM customer""",
    # A line is bought from one of the four suppliers that partsupp knows for its part, most often from the best known of them.
    """CREATE TABLE _part AS
    SELECT p_partkey, p_retailprice, suppliers,
        row_number() OVER (ORDER BY draw(p_partkey, 'fame of a part'), p_partkey) AS place
    FROM part JOIN (
        SELECT ps_partkey, list(ps_suppkey ORDER BY draw(ps_suppkey, 'fame of a supplier'), ps_suppkey) AS suppliers
        FROM partsupp GROUP BY ps_partkey
    ) ON ps_partkey = p_partkey""",
    """CREATE TABLE _lineitem AS
    SELECT lineitem.* REPLACE (
        p_partkey AS l_partkey,
        suppliers[zipf(len(suppliers), draw(l_orderkey * 8 + l_linenumber, 'supplier of a line'))] AS l_suppkey,
        (l_quantity * p_retailprice)::DECIMAL(15, 2) AS l_extendedprice
    )
    FROM lineitem JOIN _part
    ON place = zipf({parts}, draw(l_orderkey * 8 + l_linenumber, 'part of a line'))""",
    # Of the largest table one is enough to hold.
    "DROP TABLE lineitem",
    """CREATE TABLE _orders AS
    SELECT orders.* REPLACE (_customer.c_custkey AS o_custkey, total AS o_totalprice)
    FROM orders
    JOIN _customer ON place = zipf({customers}, draw(o_orderkey, 'customer of an order'))
    JOIN (
        SELECT l_orderkey, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount))::DECIMAL(15, 2) AS total
        FROM _lineitem GROUP BY l_orderkey
    ) ON l_orderkey = o_orderkey""",
)


def skew(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of `SKEWED` from TPC-H's, with prices that fit the parts; all keys lead somewhere. Needs the draws."""
    rows = {"customers": _rows(connection, "customer"), "parts": _rows(connection, "part")}
    for step in _STEPS:
        connection.execute(step.format(**rows))


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    found = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(found[0]) if found else 0
