"""SQL and tables of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.bench.workloads.from_directories import from_directories
from tuner.errors import TunerError


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "sql").mkdir()
    (tmp_path / "tables" / "sales").mkdir(parents=True)
    (tmp_path / "sql" / "b.sql").write_text("SELECT 2 ;\n")
    (tmp_path / "sql" / "a.sql").write_text("SELECT 1")
    return tmp_path


def test_files_are_queries_in_the_order_of_their_names(job: Path) -> None:
    found = from_directories(job / "sql", [], job / "tables")
    assert list(found.queries.items()) == [("a", "SELECT 1"), ("b", "SELECT 2")]
    assert from_directories(job / "sql", ["b"], job / "tables").queries == {"b": "SELECT 2"}


def test_what_is_not_there_is_told(job: Path) -> None:
    with pytest.raises(TunerError, match="no query c; there are a, b"):
        from_directories(job / "sql", ["c"], job / "tables")
    with pytest.raises(TunerError, match="no such directory"):
        from_directories(job / "other", [], job / "tables")
    with pytest.raises(TunerError, match=r"no \.sql file in it"):
        from_directories(job / "tables", [], job / "tables")
    with pytest.raises(TunerError, match="one folder of Parquet files for each table"):
        from_directories(job / "sql", [], job / "sql")
    (job / "sql" / "a.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(TunerError, match="give readable UTF-8 text"):
        from_directories(job / "sql", [], job / "tables")
