"""Where members of a table stand: by country, era and fame, in arithmetic alone.

Companies, persons and keywords are ordered by what they belong to, so that a title's row can name a member of its own country
and era without a look at the other table: the k-th country has the share of ids that Zipf's law gives it, each country's ids are
divided evenly among the eras, and within an era the first are the most famous.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tuner.bench.workloads.joins.listed import COUNTRIES

if TYPE_CHECKING:
    import duckdb

ERAS = 3
# A title's weight falls as 1 / (its rank + a 500th of all titles), Zipf's law as B. Mandelbrot has it: at any scale the most
# famous has eighty times the mean, and a tenth of the titles has 63 % of the rows.
FLATTENED_SHARE = 1 / 500
_MACROS = (
    "begins(k) AS ln(k) / ln({countries} + 1)",
    "member(rows, country, era, place) AS least(rows, 1 + floor(rows * (begins(country)"
    " + (begins(country + 1) - begins(country)) * (era + place) / {eras}))::BIGINT)",
    "country_at(quantile) AS least({countries}, floor(pow({countries} + 1, quantile)))::INTEGER",
    "within_country(quantile, country) AS greatest(0, least(0.999999,"
    " (quantile - begins(country)) / (begins(country + 1) - begins(country))))",
    # A uniform draw leans to the first places: a hundredth of them gets a third.
    "lean(u) AS (pow(1000, u) - 1) / 999",
    "weight(fame) AS 1 / ((fame + {flattened}) * {scale})",
)


def define_placement(connection: duckdb.DuckDBPyConnection) -> None:
    """Define `member(rows, country, era, place)`, the id of a member of that many, `place` in [0, 1) with the most famous first;
    its inverses `country_at` and `within_country` of a row's quantile; `lean(u)`, which prefers the first places; and
    `weight(fame)`, of mean 1, `fame` in (0, 1) with the most famous first."""
    scale = math.log((1 + FLATTENED_SHARE) / FLATTENED_SHARE)
    for macro in _MACROS:
        text = macro.format(countries=len(COUNTRIES), eras=ERAS, flattened=FLATTENED_SHARE, scale=scale)
        connection.execute(f"CREATE OR REPLACE MACRO {text}")
