"""Queries that ask for a part of what a template asks: some of its filters, and the joins that lead to these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from tuner.bench.workloads.drawn_number import drawn_number
from tuner.bench.workloads.joins.drawn_queries import drawn_query, query_text
from tuner.bench.workloads.joins.join_tree import ROOT, Relation, join_tree
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.joins.template import Filter, Template
from tuner.bench.workloads.joins.templates import TEMPLATES

if TYPE_CHECKING:
    import duckdb

# Of a template with ten filters there are 638 parts: no template is to make up most of a stream.
MOST_OF_TEMPLATE = 64
_FEWEST_RELATIONS = 3


@dataclass(frozen=True, slots=True)
class PartQuery:
    """A query without its literals: the template with those filters and columns that it asks for, and its joins."""

    template: Template
    tree: tuple[Relation, ...]

    @property
    def shape(self) -> frozenset[tuple[str, ...]]:
        """What makes it the same query with other literals: its joins and what it filters by, whatever they are called."""
        paths = _paths(self.tree)
        filters = ((paths[of.alias], of.column, of.shape.name) for of in self.template.filters)
        return frozenset([*((path,) for path in paths.values()), *filters])


def drawn_parts(seed: int) -> Sequence[PartQuery]:
    """Queries no two of which have the same joins and filters, in an order that the seed draws."""
    found: dict[frozenset[tuple[str, ...]], PartQuery] = {}
    for template in TEMPLATES:
        own = sorted(_parts(template), key=lambda part: _place(part, seed))
        for part in own[:MOST_OF_TEMPLATE]:
            found.setdefault(part.shape, part)
    return sorted(found.values(), key=lambda part: _place(part, seed))


def part_text(connection: duckdb.DuckDBPyConnection, part: PartQuery, purpose: str) -> str:
    """The query with literals of a row of the join, which the purpose draws from the tables as they are."""
    return query_text(part.template, part.tree, drawn_query(connection, part.template, part.tree, purpose).filters)


def _parts(template: Template) -> Iterator[PartQuery]:
    """With half of the filters or more: with fewer, joins would have too many rows."""
    tree = join_tree(template.paths, TABLES)
    for number in range(math.ceil(len(template.filters) / 2), len(template.filters) + 1):
        for filters in combinations(template.filters, number):
            part = _part(template, tree, filters)
            if len(part.tree) >= _FEWEST_RELATIONS:
                yield part


def _part(template: Template, tree: Sequence[Relation], filters: tuple[Filter, ...]) -> PartQuery:
    by_alias = {relation.alias: relation for relation in tree}
    needed = {TABLES[ROOT].alias}
    for of in filters:
        alias = of.alias
        while alias:
            needed.add(alias)
            alias = by_alias[alias].to
    least = tuple(column for column in template.least if column.split(".")[0] in needed)
    return PartQuery(
        replace(template, variants=1, filters=filters, least=least or ("t.name",)),
        tuple(relation for relation in tree if relation.alias in needed),
    )


def _paths(tree: Sequence[Relation]) -> dict[str, str]:
    """By alias: the tables and columns that lead there from the root."""
    paths: dict[str, str] = {}
    for one in tree:
        paths[one.alias] = f"{paths[one.to]}.{one.to_column}={one.table}.{one.column}" if one.to else one.table
    return paths


def _place(part: PartQuery, seed: int) -> float:
    asked = ", ".join(f"{of.alias}.{of.column}" for of in part.template.filters)
    return drawn_number(f"{seed}/{part.template.number}/{asked}")
