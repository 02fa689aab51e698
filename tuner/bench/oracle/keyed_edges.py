"""The equalities of a block as edges of a tree, with the keys of its rows as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tuner.bench.oracle.sql_block import SqlBlock, SqlColumn
from tuner.bench.oracle.subset_text import columns_text
from tuner.bench.oracle.tree_counts import TreeEdge

if TYPE_CHECKING:
    import duckdb

# Numbers that a key may have for each row before they are worth sorting.
_SPARSE = 4
# For each pair of relations the columns that are equal, the lower relation's first.
Pairs = dict[tuple[int, int], list[tuple[str, str]]]


def tree_pairs(block: SqlBlock) -> Pairs | None:
    """The pairs of relations that equalities join; None where these are no tree, or other conditions join relations, too."""
    found: Pairs = {}
    for condition in block.conditions:
        if condition.relations.bit_count() < 2:
            continue
        if condition.keys is None:
            return None
        (left, one), (right, other) = sorted(condition.keys)
        found.setdefault((left, right), []).append((one, other))
    return found if _is_tree(len(block.relations), found) else None


def _is_tree(relations: int, pairs: Iterable[tuple[int, int]]) -> bool:
    """As many pairs as a tree has, and none that closes a circle."""
    group, number = list(range(relations)), 0
    for left, right in pairs:
        if group[left] == group[right]:
            return False
        group = [group[left] if one == group[right] else one for one in group]
        number += 1
    return number == relations - 1


def keyed_edges(
    block: SqlBlock, pairs: Pairs, connection: duckdb.DuckDBPyConnection
) -> tuple[list[int], list[TreeEdge]]:
    """The rows of each relation after its own conditions, and the edges of the tree. Reads each relation once."""
    columns: list[list[SqlColumn]] = [[] for _ in block.relations]
    for ends, equal in pairs.items():
        for side, number in enumerate(ends):
            columns[number] += [(number, pair[side]) for pair in equal]
    read = [_values(connection, columns_text(block, number, of), len(of)) for number, of in enumerate(columns)]
    used, edges = [0] * len(columns), []
    for (left, right), equal in pairs.items():
        first, second = (_take(read[number], used, number, len(equal)) for number in (left, right))
        keys, size = _numbered(first, second)
        edges.append(TreeEdge(left, right, keys[: len(first[0])], keys[len(first[0]) :], size))
    return [len(values[0]) for values in read], edges


def _values(connection: duckdb.DuckDBPyConnection, text: str, columns: int) -> list[NDArray[Any]]:
    found = connection.execute(text).fetchnumpy()
    return [np.asarray(found[f"c{place}"]) for place in range(max(1, columns))]


def _take(values: Sequence[NDArray[Any]], used: list[int], number: int, columns: int) -> Sequence[NDArray[Any]]:
    first = used[number]
    used[number] += columns
    return values[first : first + columns]


def _numbered(left: Sequence[NDArray[Any]], right: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], int]:
    """One number for each key, of one column or several, of the left side's rows and then the right one's."""
    (keys, size), *others = [_numbers(np.concatenate(both)) for both in zip(left, right, strict=True)]
    for more, of_more in others:
        keys, size = _numbers(keys * of_more + more)
    return keys, size


def _numbers(values: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """A number from 0 for each value, and one more than the highest. Whole numbers that lie close need no sorting."""
    if not len(values):
        return np.zeros(0, dtype=np.int64), 1
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low <= _SPARSE * len(values):
            return values.astype(np.int64) - low, high - low + 1
    _, numbers = np.unique(values, return_inverse=True)
    return numbers.reshape(-1), int(numbers.max()) + 1
