"""The rows that Spark makes of a log for its walk, made in this process."""

from __future__ import annotations

from typing import Any

from tuner.eventlog.find import LogSource

from .worker_tables import worker_tables

Row = dict[str, Any]


def rows_here(source: LogSource, cohort: str, position: int) -> list[Row]:
    """Sorted as Spark sorts them."""
    place = {"cohort": cohort, "position": position, "log": str(source.path)}
    tables = worker_tables([source], documents=True)
    found = [place | _own(row) | {"is_query": False} for row in tables["applications"]]
    queries = [place | _own(row) | {"is_query": True} for row in tables["queries"]]
    return found + sorted(queries, key=lambda row: row["query_id"])


def _own(row: Row) -> Row:
    return {"query_id": row.get("query_id", 0), "document": row["document"]}
