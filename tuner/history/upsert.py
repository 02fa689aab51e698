"""Inserts that may meet what is there, in the dialects of both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

    from tuner.history.tables import Base


def insert_into(table: type[Base], dialect: str) -> sqlite.Insert | postgresql.Insert:
    """An insert that may replace what is there, or leave it."""
    if dialect != "postgresql":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
