"""One row of a join, found relation by relation: filters that it passes leave the join a row at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tuner.bench.workloads.joins.join_tree import Relation, children
from tuner.bench.workloads.sql_literal import sql_literal

if TYPE_CHECKING:
    import duckdb

# The only foreign key that may be NULL.
_OPTIONAL = "persona_id"


def witness(
    connection: duckdb.DuckDBPyConnection, tree: Sequence[Relation], purpose: str
) -> Mapping[str, Mapping[str, Any]] | None:
    """The columns of a row of the join by alias, drawn for the purpose; None if the join without filters is empty."""
    found: dict[str, Mapping[str, Any]] = {}
    for relation in tree:
        condition = "TRUE"
        if relation.to:
            condition = f"{relation.alias}.{relation.column} = {sql_literal(found[relation.to][relation.to_column])}"
        row = _row(connection, tree, relation, condition, purpose)
        if row is None:
            return None
        found[relation.alias] = row
    return found


def _row(
    connection: duckdb.DuckDBPyConnection, tree: Sequence[Relation], of: Relation, condition: str, purpose: str
) -> Mapping[str, Any] | None:
    done = connection.execute(
        f"SELECT * FROM {of.table} AS {of.alias} WHERE {condition}{_reaches(tree, of)} "
        f"ORDER BY draw({of.alias}.id, '{of.alias} of {purpose}'), {of.alias}.id LIMIT 1"
    )
    names = [column[0] for column in done.description or ()]
    row = done.fetchone()
    return None if row is None else dict(zip(names, row, strict=True))


def _reaches(tree: Sequence[Relation], of: Relation) -> str:
    """That what is joined to a relation has rows for it, where not every row has."""
    return "".join(
        f" AND EXISTS (SELECT 1 FROM {child.table} AS {child.alias} WHERE {child.condition}{_reaches(tree, child)})"
        for child in children(tree, of.alias)
        if not _surely(tree, child)
    )


def _surely(tree: Sequence[Relation], relation: Relation) -> bool:
    return (
        not relation.many
        and relation.to_column != _OPTIONAL
        and all(_surely(tree, child) for child in children(tree, relation.alias))
    )
