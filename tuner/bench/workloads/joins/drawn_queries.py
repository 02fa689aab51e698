"""The 113 queries with literals that a seed draws from the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuner.bench.workloads.drawn_number import drawn_number
from tuner.bench.workloads.joins.join_size import join_rows, prefixes
from tuner.bench.workloads.joins.join_tree import Relation, join_tree
from tuner.bench.workloads.joins.kept_texts import KeptTexts
from tuner.bench.workloads.joins.predicate import predicate
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.joins.template import Filter, Shape, Template
from tuner.bench.workloads.joins.templates import TEMPLATES
from tuner.bench.workloads.joins.witness import witness
from tuner.bench.workloads.joins.written_order import joined_order, written_order
from tuner.bench.workloads.parquet_views import parquet_views
from tuner.errors import TunerError

if TYPE_CHECKING:
    import duckdb

# Some draws make millions of rows of each title: others are tried, so that a query ends when its joins are made as it is written.
MOST_ROWS_PER_TITLE = 100
_DRAWS = 6
_NEIGHBOURS = 3000


@dataclass(frozen=True, slots=True)
class DrawnQuery:
    """A query's filters as SQL by alias, and the most rows that lie between two joins when they are made as it is written."""

    filters: Mapping[str, Sequence[str]]
    most_rows: float


def query_names() -> list[str]:
    """`q01a` to `q33c`: the template's number and a letter for each query of it."""
    return [name for name, _ in numbered_templates()]


def drawn_queries(directory: Path, seed: int, names: Sequence[str]) -> Mapping[str, str]:
    """Texts by name: the same for the same tables and seed. Each join has a row at least.

    Drawing reads the tables many times: what was drawn is kept beside them.
    """
    templates = dict(numbered_templates())
    kept = KeptTexts(directory / f"_queries-seed{seed}.json")
    with parquet_views(directory, seed) as connection:
        return {name: kept.get(name, partial(_text, connection, templates[name], f"{name}/{seed}")) for name in names}


def query_text(template: Template, tree: Sequence[Relation], filters: Mapping[str, Sequence[str]]) -> str:
    """The least of some columns and the number of rows, over a FROM clause that tells nothing of a good order."""
    least = [f"MIN({column}) AS {column.replace('.', '_')}" for column in template.least]
    joins = [relation.condition for relation in tree if relation.to]
    where = [*(text for relation in tree for text in filters.get(relation.alias, ())), *joins]
    return "\n".join((
        f"SELECT {', '.join((*least, 'COUNT(*) AS matches'))}",
        "FROM " + ",\n  ".join(f"{relation.table} AS {relation.alias}" for relation in written_order(tree)),
        "WHERE " + "\n  AND ".join(where),
    ))  # fmt: skip


def numbered_templates() -> Iterator[tuple[str, Template]]:
    """Each query's name, and what it is made of."""
    for template in TEMPLATES:
        for variant in range(template.variants):
            yield f"q{template.number:02d}{chr(ord('a') + variant)}", template


def drawn_query(
    connection: duckdb.DuckDBPyConnection, template: Template, tree: Sequence[Relation], purpose: str
) -> DrawnQuery:
    """The first of some draws whose joins stay small enough as they are written, or the one whose joins stay smallest."""
    best = _drawn(connection, template, tree, f"{purpose}/0")
    for number in range(1, _DRAWS):
        if best.most_rows <= MOST_ROWS_PER_TITLE * _titles(connection):
            break
        other = _drawn(connection, template, tree, f"{purpose}/{number}")
        best = min(best, other, key=lambda drawn: drawn.most_rows)
    return best


def _text(connection: duckdb.DuckDBPyConnection, template: Template, purpose: str) -> str:
    tree = join_tree(template.paths, TABLES)
    return query_text(template, tree, drawn_query(connection, template, tree, purpose).filters)


def _titles(connection: duckdb.DuckDBPyConnection) -> int:
    found = connection.execute("SELECT count(*) FROM title").fetchone()
    return int(found[0]) if found else 0


def _drawn(
    connection: duckdb.DuckDBPyConnection, template: Template, tree: Sequence[Relation], purpose: str
) -> DrawnQuery:
    row = witness(connection, tree, purpose)
    if row is None:
        raise TunerError(f"joins: no row for template {template.number}; give a larger --scale-factor")
    tables = {relation.alias: relation.table for relation in tree}
    filters: dict[str, list[str]] = {}
    for of in template.filters:
        value = row[of.alias][of.column]
        others = _others(connection, tables[of.alias], of, row[of.alias]["id"], purpose)
        draw = partial(_number, f"{purpose}/{of.alias}.{of.column}")
        filters.setdefault(of.alias, []).append(predicate(of, value, others, draw))
    trees = prefixes(tree, joined_order(written_order(tree)))
    return DrawnQuery(filters, max(join_rows(connection, one, filters) for one in trees))


def _others(connection: duckdb.DuckDBPyConnection, table: str, of: Filter, near: int, purpose: str) -> Sequence[Any]:
    """Values that a column has in rows near one, in an order that the purpose draws."""
    if of.shape is not Shape.ONE_OF:
        return ()
    return [
        value
        for (value,) in connection.execute(
            f"SELECT {of.column} FROM {table} WHERE id BETWEEN {near - _NEIGHBOURS} AND {near + _NEIGHBOURS} "
            f"GROUP BY 1 ORDER BY draw({of.column}, '{purpose}'), 1 LIMIT 9"
        ).fetchall()
    ]


def _number(purpose: str, of: str) -> float:
    return drawn_number(f"{purpose}/{of}")
