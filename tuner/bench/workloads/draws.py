"""Draws in duckdb that a seed, a key and a purpose decide: the same in any order, by any number of threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# Zipf's exponent is 1: the share of the k-th falls as 1/k. That is z = 1 of S. Chaudhuri's and V. Narasayya's program for TPC-D
# data with skew (Microsoft Research), and about what words and cities follow (G. K. Zipf 1949).
_MACROS = (
    # hash() alone only combines its arguments with XOR: two purposes of one key would not be independent.
    "draw(key, purpose) AS (hash(hash(key, purpose || '/{seed}')) >> 11) / 9007199254740992.0",
    "zipf(n, u) AS least(n, floor(pow(n + 1, u))::BIGINT)",
    "pick(things, u) AS things[1 + floor(len(things) * u)::BIGINT]",
)


def define_draws(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Define for this connection: `draw(key, purpose)`, uniform in [0, 1) and independent for each purpose; `zipf(n, u)`, a rank
    of 1 to n, of which the first k have a share of log(k + 1) / log(n + 1); `pick(list, u)`, an element.
    """
    for macro in _MACROS:
        connection.execute(f"CREATE OR REPLACE MACRO {macro.format(seed=seed)}")
