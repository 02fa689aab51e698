"""The catalog tables of a query, by names that stay the same every night."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.query import Query, TableRead
from tuner.plan.relation import normalise_table


def scanned_tables(query: Query) -> dict[str, TableRead]:
    """Its tables as relations are named; those of one name, such as two months', are one."""
    found: dict[str, TableRead] = {}
    for table in query.tables:
        name = normalise_table(table.table)
        before = found.get(name, TableRead(name, ()))
        rows, file_bytes = before.rows + table.rows, before.file_bytes + table.file_bytes
        found[name] = replace(before, rows=rows, file_bytes=file_bytes)
    return found
