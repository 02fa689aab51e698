"""Writes the catalogue's tables, each by one query over its draws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.bench.workloads.draws import define_draws
from tuner.bench.workloads.joins.batch import Batch
from tuner.bench.workloads.joins.listed import ROLES
from tuner.bench.workloads.joins.placement import define_placement
from tuner.bench.workloads.joins.schema import LISTS, TABLES
from tuner.bench.workloads.joins.table import Table
from tuner.bench.workloads.parquet_views import duckdb_connection
from tuner.bench.workloads.sql_literal import sql_literal
from tuner.demo.written_once import is_written, written_once

if TYPE_CHECKING:
    import duckdb

_GOLDEN = 0.6180339887
_WHOLES = {table.part_of for table in TABLES.values() if table.part_of}


def make_catalogue(directory: Path, scale_factor: float, seed: int) -> None:
    """Write all tables: at scale factor 1 a million titles. The rows, and their order, are the same for the same seed."""
    if is_written(directory):
        return
    start = Batch(rows_of(TABLES["title"], scale_factor))
    with duckdb_connection() as connection, written_once(connection, directory) as write:
        define_catalogue(connection, scale_factor, seed)
        for table in TABLES.values():
            write(table.name, rows_query(connection, table, start, seed))


def define_catalogue(connection: duckdb.DuckDBPyConnection, scale_factor: float, seed: int) -> None:
    """Define for this connection what rows are drawn by: lists, sizes at the start, places."""
    define_draws(connection, seed)
    define_placement(connection)
    for macro in (*_lists(), *_sizes(scale_factor)):
        connection.execute(f"CREATE OR REPLACE MACRO {macro}")


def rows_query(connection: duckdb.DuckDBPyConnection, table: Table, batch: Batch, seed: int) -> str:
    """A query for the columns of a batch's rows of a table; tables that others are parts of come first, and stay."""
    for macro in (*_ranks(batch, seed), f"u(key, purpose) AS draw(key, '{table.name}/{batch.name}' || purpose)"):
        connection.execute(f"CREATE OR REPLACE MACRO {macro}")
    return f"SELECT {', '.join(table.written)} FROM ({_rows(connection, table, batch)})"


def rows_of(table: Table, scale_factor: float) -> int:
    """Rows of a table that is neither listed nor a part of another."""
    return max(1, round(table.rows * scale_factor))


def _lists() -> Iterator[str]:
    for name, things in LISTS.items():
        yield f"{name}() AS [{', '.join(map(sql_literal, things))}]"


def _sizes(scale_factor: float) -> Iterator[str]:
    for table in TABLES.values():
        if table.rows:
            yield f"rows_of_{table.name}() AS {rows_of(table, scale_factor)}"


def _ranks(batch: Batch, seed: int) -> Iterator[str]:
    """A title's rank by fame is its id, shuffled by a step without a factor in common with their number: so it can be undone."""
    titles, first = batch.titles, batch.first("title")
    step = next(
        n for n in range(math.floor(titles * _GOLDEN) + seed % 1000 + 1, 3 * titles + 1001) if math.gcd(n, titles) == 1
    )
    back = pow(step, -1, titles) if titles > 1 else 0
    start = seed * 7919 % titles
    yield f"rows_of_title() AS {titles}"
    yield f"rank_of_title(id) AS ((id - {first}) * {step} + {start}) % {titles} + 1"
    yield f"title_of_rank(title_rank) AS (title_rank - 1 + {titles - start}) % {titles} * {back} % {titles} + {first}"
    yield f"trade_of_person(id) AS zipf({len(ROLES)}, draw(id, 'trade of a person'))::INTEGER"


def _rows(connection: duckdb.DuckDBPyConnection, table: Table, batch: Batch) -> str:
    """A query for all columns, with those that are not written."""
    if table.listed:
        return _listed(table)
    if table.part_of:
        return _drawn(table, _parts(connection, table, batch))
    rows, first = _number_of_rows(connection, table, batch), batch.first(table.name)
    query = _drawn(_otherwise(table, batch), f"SELECT range AS id FROM range({first}, {first + rows})")
    if table.name in _WHOLES:
        connection.execute(f"CREATE OR REPLACE TABLE {table.name} AS {query}")
        return f"FROM {table.name}"
    return query


def _number_of_rows(connection: duckdb.DuckDBPyConnection, table: Table, batch: Batch) -> int:
    if table.name == "title":
        return batch.titles
    found = connection.execute(f"SELECT rows_of_{table.name}()").fetchone()
    return int(found[0]) if found else 0


def _otherwise(table: Table, batch: Batch) -> Table:
    if table.name != "title":
        return table
    columns = (replace(column, drawn=batch.drawn.get(column.name, column.drawn)) for column in table.columns)
    return replace(table, columns=tuple(columns))


def _listed(table: Table) -> str:
    rows = ", ".join(
        f"({', '.join(map(sql_literal, (number, *row)))})" for number, row in enumerate(table.listed, start=1)
    )
    return f"SELECT * FROM (VALUES {rows}) AS listed({', '.join(table.written)})"


def _drawn(table: Table, source: str) -> str:
    """Column by column, so that each sees those before it."""
    for column in table.columns:
        source = f"SELECT *, {column.drawn} AS {column.name} FROM ({source})"
    return source


def _parts(connection: duckdb.DuckDBPyConnection, table: Table, batch: Batch) -> str:
    """A row for each part of each row of the whole; ids go on from one whole to the next."""
    whole = TABLES[table.part_of]
    connection.execute(
        f"""CREATE OR REPLACE TABLE _counted AS
        SELECT *, sum(parts) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - parts AS parts_before
        FROM (SELECT *, floor(({table.fan_out}) * {batch.share} + u(id, 'number of parts'))::BIGINT AS parts FROM {whole.name})
        ORDER BY id"""
    )
    columns = ", ".join(f"{column.name} AS {whole.name}_{column.name}" for column in whole.columns)
    return (
        f"SELECT (parts_before + part + {batch.first(table.name)})::BIGINT AS id, * EXCLUDE (parts_before) FROM "
        f"(SELECT unnest(range(parts)) AS part, parts_before, id AS {whole.name}_id, {columns} FROM _counted)"
    )
