"""What becomes of the catalogue's tables from one night to the next: they grow, rows come late, tables are rewritten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.bench.workloads.joins.batch import Batch
from tuner.bench.workloads.joins.catalogue import define_catalogue, rows_of, rows_query
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.parquet_views import duckdb_connection

if TYPE_CHECKING:
    import duckdb

# New titles of a night, as a share of those at the start.
GROWTH = 0.02
# Late rows of a table, as a share of those it had at the start; and how often they come.
LATE = 0.01
LATE_EVERY = 3
LATE_TABLES = ("credit", "title_rating", "title_release", "title_award")
REWRITE_EVERY = 4
# In turn. Their number is odd: each is compacted and spread, by and by.
REWRITTEN = ("credit", "title", "title_attribute", "title_company", "title_keyword")
# Titles that come at night are of this year, those of the start of the years before.
YEAR = 2026
_SPREAD_FILES = 4
_GROWING = ("title", *(table.name for table in TABLES.values() if table.part_of == "title"))


class Kind(Enum):
    """What may happen to a table at night."""

    GROWTH = "new titles of the year, and what belongs to them"
    LATE = "more rows for titles that were there from the start"
    COMPACTED = "rewritten as one file, in the order of ids"
    SPREAD = "rewritten as four files, in no order"


@dataclass(frozen=True, slots=True)
class NightChange:
    """Tables that change in one way."""

    kind: Kind
    tables: tuple[str, ...]


def night_changes(night: int) -> Iterator[NightChange]:
    """What happens before a night, in this order. Before the first nothing does."""
    if night < 2:
        return
    yield NightChange(Kind.GROWTH, _GROWING)
    if night % LATE_EVERY == 0:
        yield NightChange(Kind.LATE, LATE_TABLES)
    if night % REWRITE_EVERY == 0:
        turn = night // REWRITE_EVERY - 1
        yield NightChange(Kind.SPREAD if turn % 2 else Kind.COMPACTED, (REWRITTEN[turn % len(REWRITTEN)],))


def change_tables(directory: Path, scale_factor: float, seed: int, night: int) -> None:
    """Change the tables of the night before into those of this one: the same rows in the same files for the same seed."""
    with duckdb_connection() as connection:
        define_catalogue(connection, scale_factor, seed)
        for change in night_changes(night):
            _BY_KIND[change.kind](connection, directory, rows_of(TABLES["title"], scale_factor), seed, night, change)


def _grow(
    connection: duckdb.DuckDBPyConnection, directory: Path, titles: int, seed: int, night: int, change: NightChange
) -> None:
    after = _highest_ids(connection, directory, change.tables)
    batch = Batch(max(1, round(titles * GROWTH)), after, f"night {night}/", drawn={"release_year": f"{YEAR}"})
    for name in change.tables:
        query = rows_query(connection, TABLES[name], batch, seed)
        _write(connection, query, directory / name / f"night-{night:03d}-new.parquet")


def _add_late(
    connection: duckdb.DuckDBPyConnection, directory: Path, titles: int, seed: int, night: int, change: NightChange
) -> None:
    rows_query(connection, TABLES["title"], Batch(titles), seed)
    late = Batch(titles, _highest_ids(connection, directory, change.tables), f"late in night {night}/", LATE)
    for name in change.tables:
        query = rows_query(connection, TABLES[name], late, seed)
        _write(connection, query, directory / name / f"night-{night:03d}-late.parquet")


def _rewrite(
    files: int,
    connection: duckdb.DuckDBPyConnection,
    directory: Path,
    titles: int,
    seed: int,
    night: int,
    change: NightChange,
) -> None:
    for name in change.tables:
        folder = directory / name
        before = sorted(folder.glob("*.parquet"))
        order = "id" if files == 1 else f"draw(id, 'order of night {night}'), id"
        query = f"SELECT *, row_number() OVER (ORDER BY {order}) - 1 AS _place FROM {_read(folder)}"
        connection.execute(f"CREATE OR REPLACE TABLE _rewritten AS {query} ORDER BY _place")
        columns = ", ".join(TABLES[name].written)
        for number in range(files):
            part = f"SELECT {columns} FROM _rewritten WHERE _place % {files} = {number} ORDER BY _place"
            _write(connection, part, folder / f"night-{night:03d}-rewritten-{number}.parquet")
        for file in before:
            file.unlink()


_BY_KIND: Mapping[Kind, Callable[..., None]] = {
    Kind.GROWTH: _grow,
    Kind.LATE: _add_late,
    Kind.COMPACTED: partial(_rewrite, 1),
    Kind.SPREAD: partial(_rewrite, _SPREAD_FILES),
}


def _highest_ids(connection: duckdb.DuckDBPyConnection, directory: Path, tables: Collection[str]) -> Mapping[str, int]:
    found = {}
    for name in tables:
        row = connection.execute(f"SELECT coalesce(max(id), 0) FROM {_read(directory / name)}").fetchone()
        found[name] = int(row[0]) if row else 0
    return found


def _read(folder: Path) -> str:
    files = str(folder / "*.parquet").replace("'", "''")
    return f"read_parquet('{files}')"


def _write(connection: duckdb.DuckDBPyConnection, query: str, file: Path) -> None:
    name = str(file).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{name}' (FORMAT parquet)")
