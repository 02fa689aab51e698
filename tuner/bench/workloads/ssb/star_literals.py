"""Literals for the Star Schema Benchmark's queries, from a row that is there: each query has an answer."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any

from tuner.bench.workloads.sql_literal import sql_literal
from tuner.bench.workloads.ssb.star_queries import StarQuery
from tuner.errors import TunerError

if TYPE_CHECKING:
    import duckdb

_STAR = """lineorder JOIN customer ON c_custkey = lo_custkey JOIN supplier ON s_suppkey = lo_suppkey
JOIN part ON p_partkey = lo_partkey JOIN date ON d_datekey = lo_orderdate"""
# The smallest draw alone: to sort whole rows of 60 million for the first takes all memory. What a row is to fit is asked of rows
# that are joined: as a condition of the join it would pair each customer with all suppliers of a region.
_DRAWN = f"""SELECT min((draw(lo_orderkey * 8 + lo_linenumber, '{{name}}'), lo_orderkey, lo_linenumber)) FILTER (WHERE {{fits}})
FROM {_STAR}"""
_ROW = f"SELECT * FROM {_STAR} WHERE lo_orderkey = ? AND lo_linenumber = ?"
_FIRST_YEAR, _LAST_YEAR = 1992, 1998
_YEARS = 6
_MAKERS = 5
_BRANDS = 8


def filled(connection: duckdb.DuckDBPyConnection, name: str, query: StarQuery) -> str:
    """The text with the literals of a row that the seed draws. TunerError where the tables are too small to have one."""
    drawn = connection.execute(_DRAWN.format(fits=query.fits, name=name)).fetchone()
    if drawn is None or drawn[0] is None:
        raise TunerError(f"SSB: no row for {name} ({query.fits}); give a larger --scale-factor")
    _, order, line = drawn[0]
    found = connection.execute(_ROW, [order, line])
    columns = [column[0] for column in found.description or ()]
    values = literals(dict(zip(columns, found.fetchone() or (), strict=True)))
    return query.text.format(**{key: sql_literal(values[key]) for key in _places(query.text)}).strip()


def _places(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def literals(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row's values, and ranges about them as wide as in the paper."""
    first = min(row["d_year"], _LAST_YEAR - _YEARS + 1)
    maker, brand = row["p_mfgr"], row["p_brand1"]
    return {
        **row,
        "year_from": max(first, _FIRST_YEAR),
        "year_to": first + _YEARS - 1,
        "next_year": row["d_year"] + 1,
        "discount_from": max(row["lo_discount"] - 1, 0),
        "discount_to": row["lo_discount"] + 1,
        "quantity_from": row["lo_quantity"] - 4,
        "quantity_to": row["lo_quantity"] + 5,
        "other_mfgr": f"{maker[:-1]}{int(maker[-1]) % _MAKERS + 1}",
        "eighth_brand": f"{brand[:-2]}{int(brand[-2:]) + _BRANDS - 1:02d}",
    }
