"""Stores that tests make: thousands of small ones, whose tables are there at once instead of by each migration, and whose
statements are compiled once for all of them.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, inspect
from sqlalchemy.engine import URL

from tuner.history import engine, schema

_ABOUT_MIGRATIONS = "tests/history/"
# More than there are statements: SQLAlchemy keeps 500 for each engine.
_KEPT_STATEMENTS = 5_000
_migrate = schema._upgrade
_statements: list[str] = []


def make_at_once() -> None:
    """From now on an empty SQLite store gets what the migrations made of the first one; but for the store's own tests. All in
    this process know the statements that any of them has compiled.
    """
    schema._upgrade = _upgrade
    engine.create_engine = _create_engine  # type: ignore[attr-defined]


def _create_engine(url: URL, **options: Any) -> Engine:
    made = create_engine(url, **options)
    if url.get_backend_name() == "sqlite":
        made.dialect, made._compiled_cache = _compiling().dialect, _compiling()._compiled_cache
    return made


@cache
def _compiling() -> Engine:
    """An engine that has connected once: from then on its dialect is like that of any other of SQLite."""
    made = create_engine("sqlite://", query_cache_size=_KEPT_STATEMENTS)
    made.connect().close()
    return made


def _upgrade(connection: Connection) -> None:
    empty = connection.dialect.name == "sqlite" and not inspect(connection).get_table_names()
    if not empty or os.environ.get("PYTEST_CURRENT_TEST", "").startswith(_ABOUT_MIGRATIONS):
        _migrate(connection)
    elif _statements:
        for statement in _statements:
            connection.exec_driver_sql(statement)
    else:
        _migrate(connection)
        made = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).scalars()
        _statements.extend([*made, f"INSERT INTO {schema.VERSION_TABLE} VALUES ('{schema.HEAD}')"])
