"""How many rows a tree of joins has, without making them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tuner.bench.workloads.joins.join_tree import Relation, children, from_other_root

if TYPE_CHECKING:
    import duckdb


def join_rows(
    connection: duckdb.DuckDBPyConnection, tree: Sequence[Relation], filters: Mapping[str, Sequence[str]]
) -> float:
    """The rows of the join with filters by alias. Counts go up the tree by key, as in M. Yannakakis, Algorithms for Acyclic
    Database Schemes, VLDB 1981: it takes a scan of each table however many rows the join has."""
    found = connection.execute(f"SELECT coalesce(sum(ways), 0) FROM ({_ways(tree, tree[0], filters)})").fetchone()
    return float(found[0]) if found else 0.0


def _ways(tree: Sequence[Relation], of: Relation, filters: Mapping[str, Sequence[str]]) -> str:
    """A query: for each key by which a relation is joined, the number of rows that it and what is joined to it have."""
    below = list(children(tree, of.alias))
    joins = "".join(
        f" JOIN ({_ways(tree, child, filters)}) AS w_{child.alias} ON w_{child.alias}.key = {of.alias}.{child.to_column}"
        for child in below
    )
    product = " * ".join((*(f"w_{child.alias}.ways" for child in below), "1"))
    where = " AND ".join(filters.get(of.alias, ())) or "TRUE"
    key = f"{of.alias}.{of.column}" if of.to else "0"
    return f"SELECT {key} AS key, sum(({product})::DOUBLE) AS ways FROM {of.table} AS {of.alias}{joins} WHERE {where} GROUP BY 1"


def prefixes(tree: Sequence[Relation], order: Sequence[Relation]) -> list[tuple[Relation, ...]]:
    """The joins made one after another, as trees: of the first two relations of an order, the first three, …

    Only those are listed that may have more rows than the one before: whose last relation has many rows for one.
    """
    rooted = from_other_root(tree, order[0].alias)
    by_alias = {relation.alias: relation for relation in rooted}
    found = []
    for length in range(2, len(order) + 1):
        if length == len(order) or by_alias[order[length - 1].alias].many:
            within = {relation.alias for relation in order[:length]}
            found.append(tuple(relation for relation in rooted if relation.alias in within))
    return found
