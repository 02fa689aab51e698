"""Databases to test the store on: SQLite, and a real PostgreSQL server where the machine has one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tuner.history.schema import upgrade
from tuner.history.store import Store

if TYPE_CHECKING:
    from .postgres import Server

ON_BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    yield from own_server()


def own_server() -> Iterator[Server]:
    """One that only its fixture's tests use; they are skipped where the machine has none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install airflow-spark-tuner[postgres]")
    from .postgres import programs, serve

    bin_dir = programs()
    if bin_dir is None:
        pytest.skip("no PostgreSQL server: neither initdb on PATH nor /usr/lib/postgresql/*/bin")
    with serve(bin_dir) as server:
        yield server


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of an SQLite file that does not exist yet, nor does its directory."""
    return f"sqlite:///{tmp_path}/share/spark-tuner/history.db"


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """The URL of an empty PostgreSQL database."""
    return postgres_server.database()


@pytest.fixture(params=ON_BOTH)
def empty_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database, SQLite's and PostgreSQL's in turn."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return url


@pytest.fixture
def url(empty_url: str) -> str:
    """The URL of a database with the schema at head."""
    upgrade(empty_url)
    return empty_url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened
