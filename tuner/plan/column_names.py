"""The columns that an operator's text names, by names that are no literals.

Catalyst prints strings without quotes, so `a#1 = ticket#33` may compare with a column or with a string. Told are only
names that the plan gives to columns where no literal can stand: in the lists of scans, as aliases, as keys of joins, in
what Expand puts out, in `isnotnull(a#1)`. An alias that is the literal it stands for (`SELECT 'web'` prints `web AS
web#7`) is none. One limit remains: a string that reads like a list of aliases is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.plan.expression import alias, attributes, bracketed, single_attribute, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.lineage import lineage_of
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan, scan_columns, short_name
from tuner.plan.without_nulls import without_nulls
from tuner.printable import printable

# What reads rows that the query itself holds names their columns after their literals; caches are named by what fills them.
_OWN_ROWS = ("LocalTableScan", "Scan OneRowRelation", "InMemoryTableScan", "Scan In-memory table", "EmptyRelation")
# Names that Spark makes up for what it computes.
_GENERATED = re.compile(r"_(?:groupingexpression|gen_alias|extract|we?\d)")
_SUBQUERY = re.compile(r"(?:scalar-)?subquery|dynamicpruning")  # printed with an id, as columns are
_LONGEST_NAME = 100
_MOST_NAMES = 5
COMPUTED_COLUMNS = "computed columns"


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The names of columns in a text, each once and in order; `others` says that it names some that cannot be told."""

    names: tuple[str, ...]
    others: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, and last what stands for those that cannot be told."""
        return (*self.names, COMPUTED_COLUMNS) if self.others else self.names

    def words(self) -> str:
        """`a, b, computed columns`; "" without any."""
        return listed(self.columns)


def listed(names: Sequence[str]) -> str:
    """`a, b, c and 2 more`: five names at most."""
    shown, more = (names, 0) if len(names) <= _MOST_NAMES else (names[: _MOST_NAMES - 1], len(names) - _MOST_NAMES + 1)
    return ", ".join(shown) + (f" and {more} more" if more else "")


class ColumnNames:
    """The columns of one plan, by name."""

    def __init__(self, root: PlanNode) -> None:
        self._lineage = lineage_of(root)
        given: set[str] = set()
        literals: set[str] = set()
        for node in root.walk_all():
            if node.name == "Project":
                names, same = _aliases(node.text)
                given.update(names)
                literals.update(same)
            elif is_scan(node):
                given.update(_scanned(node))
            else:
                given.update(_whole(node))
        self._known = frozenset(given - literals)

    def mentioned(self, *texts: str) -> Mentioned:
        """The columns of some expressions."""
        columns = (column for text in texts for column in attributes(text) if not _SUBQUERY.fullmatch(column[0]))
        found = [self._name(*column) for column in columns]
        return Mentioned(tuple(dict.fromkeys(name for name in found if name)), None in found)

    def key(self, expression: str) -> tuple[str, str]:
        """The relation of a join's key, by the last part of its name ("" where none owns it), and its column.

        Of what the key computes it is the columns.
        """
        column = single_attribute(expression)
        if column is None:
            mentioned = self.mentioned(expression)
            return "", f"expression({mentioned.words()})" if mentioned.names else "computed"
        name = self._name(*column)
        if name is None:
            return "", "computed"
        owner = self._lineage.owner.get(self._lineage.original(column[1]))
        return short_name(owner[0]) if owner else "", name

    def _name(self, name: str, id_: int) -> str | None:
        id_ = self._lineage.original(id_)
        owner = self._lineage.owner.get(id_)
        name = owner[1] if owner else self._lineage.computed.get(id_, name)
        return printable(name, _LONGEST_NAME) if name in self._known else None


def _scanned(scan: PlanNode) -> Iterator[str]:
    """The columns of a scan that lists them right behind its name: further on stand its filters, with their literals."""
    if scan.full_name.startswith(_OWN_ROWS):
        return
    name = scan.full_name.strip()
    start = scan.text.find(name, 0, len(name) + len("File"))
    behind = scan.text[start + len(name) :] if start >= 0 else scan.text.removeprefix("HiveTableScan")
    if behind.lstrip().startswith("["):
        yield from (column for column, _ in scan_columns(scan))


def _whole(node: PlanNode) -> Iterator[str]:
    """The columns in lists without any literal: keys of a join, ids that Expand gives, what a filter takes without nulls.

    Where one of a list is computed, a string in it may close the list and open another: then none is taken.
    """
    columns = [single_attribute(part) for part in _parts(node)]
    names = [column[0] for column in columns if column]
    if len(names) == len(columns):
        yield from (name for name in names if name.isidentifier() and not _GENERATED.match(name))


def _parts(node: PlanNode) -> Iterable[str]:
    if node.name == "Filter":
        return without_nulls(node.text)
    if node.name in JOINS and len(node.children) == 2:
        parsed = parse_join(node)
        return parsed.left_keys + parsed.right_keys
    if node.name == "Expand" and (copies := bracketed(node.text)) and (output := bracketed(node.text, copies[1])):
        return split_top_level(output[0]) if node.text.endswith(f", [{output[0]}]") else ()
    return ()


@by_text
def _aliases(project: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a projection gives, and those that are the literals they are given to."""
    found = bracketed(project)
    given, literals = set(), set()
    for part in split_top_level(found[0]) if found else ():
        if named := alias(part):
            expression, name, _ = named
            if name.lower() == expression.strip().lower():
                literals.add(name)
            elif name.isidentifier() and not _GENERATED.match(name):
                given.add(name)
    return frozenset(given), frozenset(literals)
