"""Small tables, statements over them, and join graphs as runs would have left them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.bench.oracle.sql_block import SqlBlock, sql_blocks
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, MeasuredJoin, Predicate, RelationKind
from tuner.model.strategy import Strategy

COLUMNS = {
    "title": {"id", "kind_id", "year", "name"},
    "kind": {"id", "kind"},
    "link": {"title_id", "other_id", "note"},
    "info": {"title_id", "fact"},
    "price": {"item", "amount"},
}
TABLES = (
    "CREATE TABLE title AS SELECT i AS id, i % 5 AS kind_id, 1990 + i % 30 AS year, 'it''s ' || i AS name FROM range(200) t(i)",
    "CREATE TABLE kind AS SELECT i AS id, 'kind ' || i AS kind FROM range(5) t(i)",
    "CREATE TABLE link AS SELECT CASE WHEN i % 11 THEN (i * i) % 200 END AS title_id, (i * 7) % 200 AS other_id, i % 3 AS note "
    "FROM range(600) t(i)",
    "CREATE TABLE info AS SELECT (i * i * 3) % 200 AS title_id, i % 4 AS fact FROM range(500) t(i)",
    "CREATE TABLE price AS SELECT i % 40 AS item, i % 13 AS amount FROM range(120) t(i)",
)


def connection() -> Any:
    """A duckdb in memory with the tables."""
    import duckdb

    found = duckdb.connect()
    for text in TABLES:
        found.execute(text)
    return found


def block(text: str) -> SqlBlock:
    """The only block of a statement."""
    (found,) = sql_blocks(text, COLUMNS)
    return found


def conditions(of: SqlBlock, *aliases: str) -> set[str]:
    """The texts of the conditions over exactly these relations."""
    numbers = [relation.alias for relation in of.relations]
    wanted = sum(1 << numbers.index(alias) for alias in aliases)
    return {condition.text for condition in of.conditions if condition.relations == wanted}


def graph(
    tables: Sequence[str],
    predicates: Sequence[tuple[int, str, int, str]],
    rows: Sequence[int | None],
    measured: Mapping[int, int],
    written: Joined,
    strategy: Strategy = Strategy.SORT_MERGE,
) -> JoinGraph:
    """A block of scans of tables; predicates are numbers and columns of both sides."""
    paths = [f"/data/{table}" for table in tables]
    return JoinGraph(
        signature="b10c",
        relations=tuple(
            GraphRelation(f"r{number}", (path,), RelationKind.SCAN, count, row_bytes=40.0, scanned_rows=count)
            for number, (path, count) in enumerate(zip(paths, rows, strict=True))
        ),
        predicates=tuple(
            Predicate(1 << left, 1 << right, f"{paths[left]}.{one}", f"{paths[right]}.{other}")
            for left, one, right, other in predicates
        ),
        conditions=(),
        measured={relations: MeasuredJoin(count, None, strategy) for relations, count in measured.items()},
        written=written,
    )
