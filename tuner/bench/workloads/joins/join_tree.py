"""The relations that a template joins, and by which columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.bench.workloads.joins.table import Table

ROOT = "title"


@dataclass(frozen=True, slots=True)
class Relation:
    """A table under an alias, joined to the relation `to` by `column` = `to_column`; the root is joined to nothing.

    `many`: it may have several rows for one of `to`.
    """

    alias: str
    table: str
    to: str = ""
    column: str = ""
    to_column: str = ""
    many: bool = False

    @property
    def condition(self) -> str:
        return f"{self.alias}.{self.column} = {self.to}.{self.to_column}"


def join_tree(paths: Iterable[str], tables: Mapping[str, Table]) -> tuple[Relation, ...]:
    """The root, then each relation after the one it is joined to. A table's second alias ends with 2, and so on.

    A foreign key is used in one direction only: from a link to its title leads the one that did not come from the title.
    """
    at: dict[str, Relation] = {"": Relation(tables[ROOT].alias, ROOT)}
    used = [tables[ROOT].alias]
    for path in paths:
        above = ""
        for name in path.split("."):
            here = f"{above}.{name}"
            if here not in at:
                alias = _alias(tables[name].alias, used)
                used.append(alias)
                at[here] = _joined(alias, tables[name], at[above], tables)
            above = here
    return tuple(at.values())


def children(tree: Sequence[Relation], alias: str) -> Iterator[Relation]:
    """The relations that are joined to one."""
    return (relation for relation in tree if relation.to == alias)


def from_other_root(tree: Sequence[Relation], alias: str) -> tuple[Relation, ...]:
    """The same joins with another relation as the root."""
    by_alias = {relation.alias: relation for relation in tree}
    turned = {alias: Relation(alias, by_alias[alias].table)}
    below = by_alias[alias]
    while below.to:
        above = by_alias[below.to]
        turned[above.alias] = Relation(
            above.alias, above.table, below.alias, below.to_column, below.column, many=not below.many
        )
        below = above
    found = {relation.alias: turned.get(relation.alias, relation) for relation in tree}
    return (found.pop(alias), *found.values())


def _alias(usual: str, used: Sequence[str]) -> str:
    number = sum(one.rstrip("0123456789") == usual for one in used) + 1
    return usual if number == 1 else f"{usual}{number}"


def _joined(alias: str, table: Table, to: Relation, tables: Mapping[str, Table]) -> Relation:
    taken = {to.to_column, to.column} if to.to else set()
    for column, leads_to in tables[to.table].references:
        if leads_to == table.name and column not in taken:
            return Relation(alias, table.name, to.alias, "id", column)
    column = next(column for column, leads_to in table.references if leads_to == to.table)
    return replace(Relation(alias, table.name, to.alias, column, "id"), many=True)
