"""Tables of a suite: made in a database on disk, of which nothing stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.demo.tables import TPCH, generated, make_tables

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
pytest.importorskip("duckdb_extension_tpch", reason="duckdb-extension-tpch is not installed")

TABLES = {"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"}


def test_nothing_but_tables_stays(tmp_path: Path) -> None:
    directory = tmp_path / "tables"
    make_tables(directory, 0.001, TPCH)
    assert {path.name for path in directory.iterdir()} == {*TABLES, "_complete"}


def test_rows_are_on_disk_while_they_are_made(tmp_path: Path) -> None:
    with generated(TPCH, 0.001, tmp_path) as connection:
        connection.execute("CHECKPOINT")
        assert any(path.stat().st_size > 100_000 for path in tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_call_left_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "_generated.duckdb").write_bytes(b"half a page")
    (tmp_path / "_generated.duckdb.wal").write_bytes(b"half an entry")
    make_tables(tmp_path, 0.001, TPCH)
    assert {path.name for path in tmp_path.iterdir()} == {*TABLES, "_complete"}


def test_a_failure_leaves_no_database(tmp_path: Path) -> None:
    with pytest.raises(duckdb.Error), generated(TPCH._replace(generate="CALL nothing({:g})"), 1, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
