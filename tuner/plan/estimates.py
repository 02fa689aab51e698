"""The planner's own size estimates of join sides, read from the optimised logical plan of `explainMode=cost`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tuner.plan.expression import attributes
from tuner.plan.operator_lines import operator_lines

_LINE = re.compile(r"^([ :|+\-]*)([A-Za-z].*)$", re.DOTALL)
_SIZE = re.compile(r"Statistics\(sizeInBytes=(\d{1,30}(?:\.\d{1,30})?(?:E\+?\d{1,2})?) ([KMGTPE]?i?B)")
# Utils.bytesToString: binary units, one decimal; above EiB in scientific notation, in bytes.
_MAX_LEAVES = 1000  # the sets of leaves of a chain of joins take quadratic room
_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50, "EiB": 1 << 60}


@dataclass(slots=True)
class LogicalNode:
    """An operator of a logical plan as its text has it. `columns` are the expression ids it names."""

    depth: int
    text: str
    bytes: int | None
    columns: set[int]
    parent: LogicalNode | None = None
    children: list[LogicalNode] = field(default_factory=list)


# A source that knows no size says Long.MaxValue (spark.sql.defaultSizeInBytes); of a few such their sum.
UNKNOWN_BYTES = 1 << 60


@dataclass(frozen=True, slots=True)
class SideEstimate:
    """What the planner takes the input of a join for, and the relations it is made of, summed: bytes, None where unknown."""

    bytes: int | None = None
    leaf_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimated bytes of the inputs of the joins of one logical plan, by the relations' columns they hold."""

    _leaf_of_column: dict[int, int]
    _bytes_of_leaves: dict[frozenset[int], int]
    _bytes_of_leaf: dict[int, int] = field(default_factory=dict)

    def side(self, columns: Iterable[int]) -> SideEstimate:
        """The estimate of the join input made of the relations that own these columns (expression ids)."""
        if not self._bytes_of_leaves:
            return UNESTIMATED
        leaves = frozenset(self._leaf_of_column[c] for c in columns if c in self._leaf_of_column)
        if leaves not in self._bytes_of_leaves:
            return UNESTIMATED
        sizes = [self._bytes_of_leaf.get(leaf) for leaf in leaves]
        known = [size for size in sizes if size is not None]
        return SideEstimate(self._bytes_of_leaves[leaves], sum(known) if len(known) == len(sizes) else None)


UNESTIMATED = SideEstimate()
NO_ESTIMATES = Estimates({}, {})


# A query is read in brief and then in full, one after the other.
@lru_cache(maxsize=1)
def read_estimates(logical_plan: str | None) -> Estimates:
    """The estimates in a logical plan's text; none for a plan without statistics."""
    if not logical_plan or "Statistics(" not in logical_plan:
        return NO_ESTIMATES
    nodes = parse_logical(logical_plan)
    leaves = {id(node): number for number, node in enumerate(n for n in nodes if not n.children)}
    if len(leaves) > _MAX_LEAVES:
        return NO_ESTIMATES
    leaf_of_column: dict[int, int] = {}
    for node in nodes:
        if id(node) in leaves:
            for column in columns_up_to_join(node):
                leaf_of_column.setdefault(column, leaves[id(node)])
    below = leaves_below(nodes, leaves)
    bytes_of_leaves = {
        below[id(node)]: node.bytes
        for node in nodes
        if node.parent is not None and _is_join(node.parent) and node.bytes is not None
    }
    bytes_of_leaf = {leaves[id(n)]: n.bytes for n in nodes if id(n) in leaves and n.bytes is not None}
    return Estimates(leaf_of_column, bytes_of_leaves, bytes_of_leaf)


def parse_logical(text: str) -> list[LogicalNode]:
    """The operators of a logical plan, parents before their children; without the plans of subqueries in their expressions, such
    as a runtime filter's."""
    nodes: list[LogicalNode] = []
    path: list[LogicalNode] = []
    for line in operator_lines(text):
        match = _LINE.match(line)
        if not match:
            continue
        node = LogicalNode(len(match[1]), match[2], _bytes(match[2]), {id_ for _, id_ in attributes(match[2])})
        while path and path[-1].depth >= node.depth:
            path.pop()
        if path:
            node.parent = path[-1]
            path[-1].children.append(node)
        path.append(node)
        nodes.append(node)
    return _without_subqueries(nodes)


def _without_subqueries(nodes: Sequence[LogicalNode]) -> list[LogicalNode]:
    """TreeNode.generateTreeString indents a subquery once more than the operator's own input. What a leaf holds besides, such
    as the plan of what is cached, stays."""
    dropped: set[int] = set()
    for node in nodes:
        if node.parent is not None and id(node.parent) in dropped:
            dropped.add(id(node))
            continue
        own = min((child.depth for child in node.children), default=0)
        dropped.update(id(child) for child in node.children if child.depth > own)
        node.children = [child for child in node.children if child.depth == own]
    return [node for node in nodes if id(node) not in dropped]


def _bytes(text: str) -> int | None:
    match = _SIZE.search(text)
    return int(float(match[1]) * _UNITS[match[2]]) if match and match[2] in _UNITS else None


def _is_join(node: LogicalNode) -> bool:
    return node.text.startswith("Join ")


def columns_up_to_join(leaf: LogicalNode) -> set[int]:
    """A relation's list of columns may be cut short; the filters and projections above it name those in use."""
    columns, node = set(leaf.columns), leaf
    while node.parent is not None and len(node.parent.children) == 1:
        node = node.parent
        columns |= node.columns
    return columns


def leaves_below(nodes: list[LogicalNode], numbers: dict[int, int]) -> dict[int, frozenset[int]]:
    """The leaves below each node, by its identity; a node with one child shares that child's."""
    found: dict[int, frozenset[int]] = {}
    for node in reversed(nodes):  # children come after their parents
        if not node.children:
            found[id(node)] = frozenset((numbers[id(node)],))
        elif len(node.children) == 1:
            found[id(node)] = found[id(node.children[0])]
        else:
            found[id(node)] = frozenset().union(*(found[id(child)] for child in node.children))
    return found
