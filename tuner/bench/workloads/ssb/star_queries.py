"""The Star Schema Benchmark's thirteen queries in words of our own, in flights of 3, 3, 4 and 3.

What each asks is section 3 of the paper (star_tables.py); names in braces are filled with what one row of the join has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StarQuery:
    """A text with places for literals, and what a row of the join must have for them to fit the text."""

    text: str
    fits: str = "TRUE"


_SAME_REGION = "c_region = s_region"
_SAME_NATION = "c_nation = s_nation"

_DISCOUNTS = """
SELECT sum(sale.lo_extendedprice * sale.lo_discount) AS revenue
FROM lineorder AS sale
JOIN date AS day ON day.d_datekey = sale.lo_orderdate
WHERE {when}
  AND sale.lo_discount BETWEEN {{discount_from}} AND {{discount_to}}
  AND {how_much}"""

_BRANDS = """
SELECT day.d_year, item.p_brand1, sum(sale.lo_revenue) AS revenue
FROM lineorder AS sale
JOIN date AS day ON day.d_datekey = sale.lo_orderdate
JOIN part AS item ON item.p_partkey = sale.lo_partkey
JOIN supplier AS seller ON seller.s_suppkey = sale.lo_suppkey
WHERE {which} AND seller.s_region = {{s_region}}
GROUP BY day.d_year, item.p_brand1
ORDER BY day.d_year, item.p_brand1"""

_PLACES = """
SELECT buyer.c_{level} AS buyer_{level}, seller.s_{level} AS seller_{level}, day.d_year, sum(sale.lo_revenue) AS revenue
FROM lineorder AS sale
JOIN customer AS buyer ON buyer.c_custkey = sale.lo_custkey
JOIN supplier AS seller ON seller.s_suppkey = sale.lo_suppkey
JOIN date AS day ON day.d_datekey = sale.lo_orderdate
WHERE {where} AND {when}
GROUP BY buyer.c_{level}, seller.s_{level}, day.d_year
ORDER BY day.d_year, revenue DESC"""

_PROFITS = """
SELECT day.d_year, {by}, sum(sale.lo_revenue - sale.lo_supplycost) AS profit
FROM lineorder AS sale
JOIN date AS day ON day.d_datekey = sale.lo_orderdate
JOIN customer AS buyer ON buyer.c_custkey = sale.lo_custkey
JOIN supplier AS seller ON seller.s_suppkey = sale.lo_suppkey
JOIN part AS item ON item.p_partkey = sale.lo_partkey
WHERE {where}
GROUP BY day.d_year, {by}
ORDER BY day.d_year, {by}"""

_YEARS = "day.d_year BETWEEN {year_from} AND {year_to}"
_TWO_YEARS = "day.d_year BETWEEN {d_year} AND {next_year}"
_NATIONS = "buyer.c_nation = {c_nation} AND seller.s_nation = {s_nation}"
_REGIONS = "buyer.c_region = {c_region} AND seller.s_region = {s_region}"
_CITIES = "buyer.c_city IN ({c_city}, {s_city}) AND seller.s_city IN ({c_city}, {s_city})"
_MAKERS = "item.p_mfgr IN ({p_mfgr}, {other_mfgr})"
_QUANTITIES = "sale.lo_quantity BETWEEN {quantity_from} AND {quantity_to}"

STAR_QUERIES: Mapping[str, StarQuery] = {
    "q1.1": StarQuery(
        _DISCOUNTS.format(when="day.d_year = {d_year}", how_much="sale.lo_quantity < 25"), "lo_quantity < 25"
    ),
    "q1.2": StarQuery(_DISCOUNTS.format(when="day.d_yearmonthnum = {d_yearmonthnum}", how_much=_QUANTITIES)),
    "q1.3": StarQuery(
        _DISCOUNTS.format(
            when="day.d_year = {d_year} AND day.d_weeknuminyear = {d_weeknuminyear}", how_much=_QUANTITIES
        )
    ),
    "q2.1": StarQuery(_BRANDS.format(which="item.p_category = {p_category}")),
    "q2.2": StarQuery(_BRANDS.format(which="item.p_brand1 BETWEEN {p_brand1} AND {eighth_brand}")),
    "q2.3": StarQuery(_BRANDS.format(which="item.p_brand1 = {p_brand1}")),
    "q3.1": StarQuery(_PLACES.format(level="nation", where=_REGIONS, when=_YEARS), _SAME_REGION),
    "q3.2": StarQuery(_PLACES.format(level="city", where=_NATIONS, when=_YEARS), _SAME_NATION),
    "q3.3": StarQuery(_PLACES.format(level="city", where=_CITIES, when=_YEARS), _SAME_NATION),
    "q3.4": StarQuery(
        _PLACES.format(level="city", where=_CITIES, when="day.d_yearmonth = {d_yearmonth}"), _SAME_NATION
    ),
    "q4.1": StarQuery(_PROFITS.format(by="buyer.c_nation", where=f"{_REGIONS} AND {_MAKERS}"), _SAME_REGION),
    "q4.2": StarQuery(
        _PROFITS.format(by="seller.s_nation, item.p_category", where=f"{_REGIONS} AND {_TWO_YEARS} AND {_MAKERS}"),
        _SAME_REGION,
    ),
    "q4.3": StarQuery(
        _PROFITS.format(
            by="seller.s_city, item.p_brand1",
            where="buyer.c_region = {c_region} AND seller.s_nation = {s_nation} AND item.p_category = {p_category} AND "
            + _TWO_YEARS,
        ),
        _SAME_REGION,
    ),
}
