"""The Star Schema Benchmark's five tables as queries over TPC-H's.

After P. O'Neil, E. O'Neil, X. Chen, S. Revilak: The Star Schema Benchmark and Augmented Fact Table Indexing, TPCTC 2009: orders
and lines are one table, customers and suppliers carry their nation and region, and a table of days is added. There are 30,000
customers and 2,000 suppliers at scale factor 1: each stands for five of TPC-H's. Supply cost is partsupp's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_FIVE = 5
_PARTS = 200_000
_CITY = "rpad(left(n_name, 9), 9, ' ') || (({key} - 1) // 5 % 10)::VARCHAR"
_KEY = "(({key} - 1) // 5 + 1)::INTEGER"

_CUSTOMER = f"""
SELECT {_KEY.format(key="c_custkey")} AS c_custkey, c_name, c_address, {_CITY.format(key="c_custkey")} AS c_city,
    n_name AS c_nation, r_name AS c_region, c_phone, c_mktsegment
FROM customer JOIN nation ON n_nationkey = c_nationkey JOIN region ON r_regionkey = n_regionkey
WHERE c_custkey % {_FIVE} = 1 ORDER BY c_custkey"""

_SUPPLIER = f"""
SELECT {_KEY.format(key="s_suppkey")} AS s_suppkey, s_name, s_address, {_CITY.format(key="s_suppkey")} AS s_city,
    n_name AS s_nation, r_name AS s_region, s_phone
FROM supplier JOIN nation ON n_nationkey = s_nationkey JOIN region ON r_regionkey = n_regionkey
WHERE s_suppkey % {_FIVE} = 1 ORDER BY s_suppkey"""

# TPC-H's brand is a maker and a number of 1 to 5: the paper's category. Each has forty brands.
_PART = """
SELECT p_partkey::INTEGER AS p_partkey, p_name, 'MFGR#' || p_brand[7:7] AS p_mfgr, 'MFGR#' || p_brand[7:8] AS p_category,
    'MFGR#' || p_brand[7:8] || lpad((1 + (p_partkey // 25) % 40)::VARCHAR, 2, '0') AS p_brand1,
    split_part(p_name, ' ', 1) AS p_color, p_type, p_size::INTEGER AS p_size, p_container
FROM part WHERE p_partkey <= {parts} ORDER BY p_partkey"""

_DATE = """
SELECT strftime(day, '%Y%m%d')::INTEGER AS d_datekey, strftime(day, '%B %-d, %Y') AS d_date, dayname(day) AS d_dayofweek,
    monthname(day) AS d_month, year(day)::INTEGER AS d_year, (year(day) * 100 + month(day))::INTEGER AS d_yearmonthnum,
    strftime(day, '%b%Y') AS d_yearmonth, (dayofweek(day) + 1)::INTEGER AS d_daynuminweek, day(day)::INTEGER AS d_daynuminmonth,
    dayofyear(day)::INTEGER AS d_daynuminyear, month(day)::INTEGER AS d_monthnuminyear,
    ((dayofyear(day) - 1) // 7 + 1)::INTEGER AS d_weeknuminyear,
    CASE WHEN month(day) = 12 THEN 'Christmas' WHEN month(day) <= 2 THEN 'Winter' WHEN month(day) <= 5 THEN 'Spring'
        WHEN month(day) <= 8 THEN 'Summer' ELSE 'Fall' END AS d_sellingseason,
    day = last_day(day) AS d_lastdayinmonthfl, dayofweek(day) BETWEEN 1 AND 5 AS d_weekdayfl
FROM (SELECT unnest(range(DATE '1992-01-01', DATE '1999-01-01', INTERVAL 1 DAY))::DATE AS day) ORDER BY d_datekey"""

_LINEORDER = f"""
SELECT l_orderkey AS lo_orderkey, l_linenumber::INTEGER AS lo_linenumber, {_KEY.format(key="o_custkey")} AS lo_custkey,
    ((l_partkey - 1) % {{parts}} + 1)::INTEGER AS lo_partkey, {_KEY.format(key="l_suppkey")} AS lo_suppkey,
    strftime(o_orderdate, '%Y%m%d')::INTEGER AS lo_orderdate, o_orderpriority AS lo_orderpriority,
    o_shippriority::INTEGER AS lo_shippriority, l_quantity::INTEGER AS lo_quantity, l_extendedprice AS lo_extendedprice,
    o_totalprice AS lo_ordtotalprice, (l_discount * 100)::INTEGER AS lo_discount,
    (l_extendedprice * (1 - l_discount))::DECIMAL(15, 2) AS lo_revenue, ps_supplycost AS lo_supplycost,
    (l_tax * 100)::INTEGER AS lo_tax, strftime(l_commitdate, '%Y%m%d')::INTEGER AS lo_commitdate, l_shipmode AS lo_shipmode
FROM lineitem JOIN orders ON o_orderkey = l_orderkey
JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey"""


def star_tables(scale_factor: float) -> Mapping[str, str]:
    """A query over TPC-H's tables of that scale factor for each table. There are 200,000 (1 + log2 of the scale factor) parts, at
    a scale factor below 1 as many as in TPC-H."""
    parts = round(_PARTS * (1 + math.floor(math.log2(scale_factor)) if scale_factor >= 1 else scale_factor))
    return {
        "customer": _CUSTOMER,
        "date": _DATE,
        "lineorder": _LINEORDER.format(parts=parts),
        "part": _PART.format(parts=parts),
        "supplier": _SUPPLIER,
    }
