"""A set of a block's relations as SQL."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.bench.oracle.sql_block import SqlBlock, SqlColumn
from tuner.model.join_graph import members


def count_text(block: SqlBlock, relations: int, most_rows: int) -> str:
    """Counts the rows of the join of a set of relations, for duckdb: one more than `most_rows` says that there are more."""
    return f"SELECT count(*) FROM (SELECT 1 {_from(block, relations)} LIMIT {most_rows + 1})"


def columns_text(block: SqlBlock, relation: int, columns: Iterable[SqlColumn]) -> str:
    """Columns of one relation, after its own conditions."""
    alias = _quoted(block.relations[relation].alias)
    named = ", ".join(f"{alias}.{_quoted(name)} AS c{place}" for place, (_, name) in enumerate(columns))
    return f"SELECT {named or '1 AS c0'} {_from(block, 1 << relation)}"


def _from(block: SqlBlock, relations: int) -> str:
    of = (block.relations[number] for number in members(relations))
    tables = ", ".join(f"{_quoted(relation.table)} AS {_quoted(relation.alias)}" for relation in of)
    conditions = " AND ".join(f"({condition.text})" for condition in block.within(relations))
    return f"FROM {tables} WHERE {conditions or 'TRUE'}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
