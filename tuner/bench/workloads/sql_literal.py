"""A value as a literal that Spark and duckdb read as the same."""

from __future__ import annotations

from datetime import date
from decimal import Decimal


def sql_literal(value: object) -> str:
    """Of a text, whole number, decimal, date or truth value; TypeError for others."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no literal for {value!r}")
