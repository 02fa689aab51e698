"""Tables that are written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_COMPLETE = "_complete"
Write = Callable[[str, str], None]


def is_written(directory: Path) -> bool:
    """Whether an earlier call wrote all tables."""
    return (directory / _COMPLETE).exists()


@contextmanager
def written_once(connection: duckdb.DuckDBPyConnection, directory: Path) -> Iterator[Write]:
    """Gives `write(table, query)`, which puts the rows of a query into a Parquet file of the table's folder; marks the directory
    as complete where all went well."""

    def write(table: str, query: str) -> None:
        folder = directory / table
        folder.mkdir(parents=True, exist_ok=True)
        file = str(folder / "part-0.parquet").replace("'", "''")
        connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet)")

    yield write
    (directory / _COMPLETE).touch()
