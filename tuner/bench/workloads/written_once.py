"""Tables that are written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.demo.tables import write_table

if TYPE_CHECKING:
    import duckdb

_COMPLETE = "_complete"
Write = Callable[[str, str], None]


def is_written(directory: Path) -> bool:
    """Whether an earlier call wrote all tables."""
    return (directory / _COMPLETE).exists()


@contextmanager
def written_once(connection: duckdb.DuckDBPyConnection, directory: Path) -> Iterator[Write]:
    """Gives `write(table, query)`; marks the directory as complete where all went well."""
    yield lambda table, query: write_table(connection, query, directory / table)
    (directory / _COMPLETE).touch()
