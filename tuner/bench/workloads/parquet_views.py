"""Folders of Parquet files as views of duckdb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.bench.workloads.draws import define_draws
from tuner.errors import RequirementError

if TYPE_CHECKING:
    import duckdb


@contextmanager
def parquet_views(directory: Path, seed: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with a view for each folder, and the draws of a seed."""
    with duckdb_connection() as connection:
        define_draws(connection, seed)
        for folder in sorted(path for path in directory.iterdir() if path.is_dir()):
            files = str(folder / "*.parquet").replace("'", "''")
            connection.execute(f"CREATE VIEW \"{folder.name}\" AS FROM read_parquet('{files}')")
        yield connection


@contextmanager
def duckdb_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database in memory. RequirementError where duckdb is not installed."""
    try:
        import duckdb
    except ImportError:
        raise RequirementError("duckdb is not installed; pip install 'airflow-spark-tuner[bench]'") from None
    with duckdb.connect() as connection:
        yield connection
