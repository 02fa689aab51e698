"""What gathering statistics of a table takes: ANALYZE TABLE … FOR COLUMNS reads all its rows once."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.query import TableRead

# Of ANALYZE for all columns of TPC-DS on two cores: 56 s at SF1 (220 million values in 24 tables), 204 s at SF10.
NANOSECONDS_PER_VALUE = 150.0  # of one core: read, decode, and count with HyperLogLog++
SECONDS_PER_TABLE = 1.6  # two jobs and a commit to the catalog


def analyze_seconds(tables: Iterable[TableRead], cores: int) -> float:
    """Wall seconds of analysing these columns of these tables, by the rows that queries read of them."""
    each = list(tables)
    values = sum(table.rows * max(1, len(table.columns)) for table in each)
    return values * NANOSECONDS_PER_VALUE / 1e9 / max(1, cores) + SECONDS_PER_TABLE * len(each)
