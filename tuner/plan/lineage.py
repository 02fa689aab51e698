"""Where a column comes from: through aliases and reused exchanges down to the relation it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.expression import (
    alias,
    aliases,
    attributes,
    bracketed,
    single_attribute,
    split_at_columns,
    split_top_level,
    without_ids,
)
from tuner.plan.looked_at import once_a_plan
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode
from tuner.plan.relation import columns_cut, hive_partition_columns, is_scan, relation_name, scan_columns
from tuner.plan.row_bytes import read_columns
from tuner.plan.without_nulls import without_nulls
from tuner.printable import identifier

_UNKNOWN = ("", -1)
# Operators that put out the columns of their first input, perhaps with more behind them.
_PASSING = frozenset(
    {"Exchange", "ShuffleExchange", "ColumnarExchange", "BroadcastExchange", "ReusedExchange", "Sort", "Filter"}
    | {"Window", "Union", "SortMergeJoin", "ShuffledHashJoin", "BroadcastHashJoin", "BroadcastNestedLoopJoin"}
)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Columns of one plan: which relation owns an expression id, and which id a renamed or computed one stands for.

    `unlisted` are by their names, in lower case, columns whose ids no relation prints, each with the relation that reads one of
    the name; None where several do.
    """

    owner: dict[int, tuple[str, str]]
    renamed: dict[int, int]
    computed: dict[int, str]
    unlisted: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def source(self, expression: str) -> str:
        """`relation.column` of a key, or what it computes as an expression over names; at most 500 characters."""
        found = self._sources.get(expression)
        if found is None:
            found = self._sources[expression] = identifier(self._source(expression))
        return found

    def _source(self, expression: str) -> str:
        column = single_attribute(expression)
        if column is None:
            parts = sorted({self._source(f"{name}#{id_}") for name, id_ in attributes(expression)})
            return f"expression({','.join(parts)})"
        name, id_ = column
        id_ = self.original(id_)
        if id_ in self.owner:
            return ".".join(self.owner[id_])
        if id_ not in self.computed and (read := self.unlisted.get(name.lower())):
            return ".".join(read)
        return without_ids(self.computed.get(id_, name))

    def original(self, id_: int) -> int:
        """The column that a renamed one stands for, as far down as the plan tells."""
        seen: set[int] = set()
        while id_ not in self.owner and id_ in self.renamed and id_ not in seen:
            seen.add(id_)
            id_ = self.renamed[id_]
        return id_


@once_a_plan
def lineage_of(root: PlanNode) -> Lineage:
    """The lineage of every column in a plan, subqueries included."""
    lineage = Lineage({}, {}, {})
    for node in root.walk_all():
        if node.name == "EmptyRelation":  # stands for a part of the plan that the scans below it still name
            continue
        if is_scan(node):
            relation = relation_name(node)
            for name, id_ in (*scan_columns(node), *hive_partition_columns(node)):
                lineage.owner.setdefault(id_, (relation, name))
            if columns_cut(node):
                _unlisted(node, relation, lineage)
        elif node.name == "Filter":
            _filtered(node, lineage)
        elif node.name == "ReusedExchange":
            _reused(node, lineage)
        elif node.name == "Project":
            _project(node, lineage)
    return lineage


def _unlisted(scan: PlanNode, relation: str, lineage: Lineage) -> None:
    listed = {name for name, _ in scan_columns(scan)}
    for name in read_columns(scan):
        if name not in listed:
            read, known = (relation, name), name.lower()
            lineage.unlisted[known] = read if lineage.unlisted.get(known, read) == read else None


def _filtered(node: PlanNode, lineage: Lineage) -> None:
    """What a filter right above a scan that lists not all of its columns takes without nulls, such as keys of inner joins."""
    (scan,) = node.children if len(node.children) == 1 else (node,)
    if is_scan(scan) and columns_cut(scan):
        for column in without_nulls(node.text):
            for name, id_ in attributes(column):
                lineage.owner.setdefault(id_, (relation_name(scan), name))


def _project(node: PlanNode, lineage: Lineage) -> None:
    for id_, name, original in _renamed(node.text):
        if original is None:
            lineage.computed[id_] = name
        else:
            lineage.renamed[id_] = original


@by_text
def _renamed(project: str) -> tuple[tuple[int, str, int | None], ...]:
    """What a projection renames or computes: its id, its name, and the id of the column it is (None: it is computed)."""
    return tuple(
        (id_, name, column[1] if (column := single_attribute(expression)) else None)
        for expression, name, id_ in aliases(project)
    )


def _reused(node: PlanNode, lineage: Lineage) -> None:
    """A reused exchange prints its own output first; it stands, in order, for the output of what it reuses."""
    own = bracketed(node.text)
    columns = [_column(part) for part in split_at_columns(own[0])] if own else []
    original = output_columns(node.children[0], [name for name, _ in columns]) if node.children else []
    pairs = zip(columns, original, strict=False)
    lineage.renamed.update({new: old for (_, new), (_, old) in pairs if new != old and new >= 0 and old >= 0})


def _column(text: str) -> tuple[str, int]:
    renamed = alias(text)
    return renamed[1:] if renamed else (attributes(text) or [_UNKNOWN])[0]


def output_columns(node: PlanNode, names: Sequence[str] | None = None) -> list[tuple[str, int]]:
    """The columns an operator puts out, in order, from the first as far as its text tells; it names them `names`, where that is
    known: else an aggregate's keys are taken to come first, as they are printed."""
    while not is_scan(node):
        if node.name == "Project":
            found = bracketed(node.text)
            return [_column(part) for part in split_at_columns(found[0])] if found else []
        if node.name in AGGREGATES:
            return _grouping(node, names)
        if node.name not in _PASSING or not node.children:
            return []
        node = node.children[0]
    return scan_columns(node)


def _grouping(aggregate: PlanNode, names: Sequence[str] | None) -> list[tuple[str, int]]:
    """A partial aggregate puts out its keys, then its buffers; a final one what was selected, keys by their names."""
    parts = aggregate_parts(aggregate)
    if parts is None:
        return []
    keys = [_column(key) for key in split_top_level(parts[0])]
    if names is None or "partial_" in parts[1]:
        return keys
    by_name = dict(keys)
    return [(name, by_name.get(name, -1)) for name in names]
