"""The catalogue's tables: their sizes, their keys, and that a seed alone decides every byte."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.bench.workloads.made import SCALE_FACTOR, SEED
from tuner.bench.workloads.joins.catalogue import make_catalogue, rows_of
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.parquet_views import duckdb_connection

TITLES = 10_000
_CONNECT = duckdb.connect
# Rows of each title, and of each person.
MEANS = {
    "credit": 12, "title_attribute": 8, "title_keyword": 4, "title_company": 2.5, "title_release": 2.5, "title_rating": 1.5,
    "title_name": 1, "title_award": 0.3, "title_link": 0.25, "person_name": 0.8, "person_attribute": 1.6,
}  # fmt: skip
KEYS = [(table.name, column, to) for table in TABLES.values() for column, to in table.references]


def one(connection: Any, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


def test_there_are_28_tables_with_the_columns_of_the_schema(catalogue: Path, connection: Any) -> None:
    assert sorted(folder.name for folder in catalogue.iterdir() if folder.is_dir()) == sorted(TABLES)
    assert len(TABLES) == 28
    for name, table in TABLES.items():
        columns = connection.execute(f"DESCRIBE {name}").fetchall()
        assert tuple(column[0] for column in columns) == table.written
        assert {column[1] for column in columns} <= {"BIGINT", "INTEGER", "VARCHAR", "BOOLEAN", "DATE", "DECIMAL(3,1)"}


def test_sizes(connection: Any) -> None:
    for name, table in TABLES.items():
        rows = one(connection, f"SELECT count(*) FROM {name}")
        if table.listed or table.rows:
            assert rows == len(table.listed) or rows == rows_of(table, SCALE_FACTOR)
        elif name in MEANS:
            assert rows / TITLES == pytest.approx(MEANS[name], rel=0.05), name


@pytest.mark.parametrize(("table", "column", "to"), KEYS, ids=[f"{table}.{column}" for table, column, _ in KEYS])
def test_every_key_leads_to_one_row(connection: Any, table: str, column: str, to: str) -> None:
    there = one(connection, f"SELECT count({column}) FROM {table}")
    assert there == one(connection, f"SELECT count(*) FROM {table} AS child JOIN {to} ON {to}.id = child.{column}")
    assert column == "persona_id" or there == one(connection, f"SELECT count(*) FROM {table}")


@pytest.mark.parametrize("table", TABLES)
def test_ids_count_from_one(connection: Any, table: str) -> None:
    assert one(connection, f"SELECT count(DISTINCT id) = count(*) AND min(id) = 1 AND max(id) = count(*) FROM {table}")


def test_no_title_links_to_itself(connection: Any) -> None:
    assert one(connection, "SELECT count(*) FROM title_link WHERE linked_title_id = title_id") == 0


@pytest.mark.nightly
def test_a_seed_and_a_scale_decide_every_byte(catalogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(file.relative_to(catalogue) for file in catalogue.rglob("*.parquet"))
    for threads in (1, 4):
        _with_threads(monkeypatch, threads)
        again = tmp_path / str(threads)
        make_catalogue(again, SCALE_FACTOR, SEED)
        assert [file for file in files if (again / file).read_bytes() != (catalogue / file).read_bytes()] == []
    make_catalogue(tmp_path / "other", SCALE_FACTOR, SEED + 1)
    same = {
        file.parts[0] for file in files if (tmp_path / "other" / file).read_bytes() == (catalogue / file).read_bytes()
    }
    assert same == {table.name for table in TABLES.values() if table.listed}


def _with_threads(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    connect = partial(_CONNECT, config={"threads": threads})
    monkeypatch.setattr(duckdb, "connect", connect)
    with duckdb_connection() as connection:
        assert one(connection, "SELECT current_setting('threads')") == threads
