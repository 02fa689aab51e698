"""Stores that tests make: thousands of small ones, whose tables are there at once instead of by each migration."""

from __future__ import annotations

import os

from sqlalchemy import Connection, inspect

from tuner.history import schema

_ABOUT_MIGRATIONS = "tests/history/"
_migrate = schema._upgrade
_statements: list[str] = []


def make_at_once() -> None:
    """From now on an empty SQLite store gets what the migrations made of the first one; but for the store's own tests."""
    schema._upgrade = _upgrade


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
