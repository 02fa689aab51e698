"""The TPC-DS query texts as DuckDB's extension has them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tpcds_texts() -> dict[int, str]:
    """The 99 queries by number; no data is generated."""
    duckdb = pytest.importorskip("duckdb")
    extension = pytest.importorskip("duckdb_extension_tpcds")
    path = next(Path(extension.__file__).parent.rglob("*.duckdb_extension"))
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{path}'")
        return dict(connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall())
