"""The rows of the join of every connected set of relations, where equalities make a tree of them.

As M. Yannakakis, Algorithms for Acyclic Database Schemes, VLDB 1981, decides whether a join has rows: from the leaves up, each
relation tells the one above how many rows it has for each key, and no join is made. What a part of the tree tells is the same
for all sets that hold it, and is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TreeEdge:
    """Two relations that are joined by key. For each row of either the number of its key, from 0 to `keys` - 1."""

    left: int
    right: int
    left_keys: NDArray[Any]
    right_keys: NDArray[Any]
    keys: int

    def keys_of(self, relation: int) -> NDArray[Any]:
        return self.left_keys if relation == self.left else self.right_keys

    def other(self, relation: int) -> int:
        return self.right if relation == self.left else self.left


def tree_counts(
    rows: Sequence[int], edges: Sequence[TreeEdge], look: Callable[[], None] = lambda: None
) -> dict[int, int]:
    """Rows by set (bit i is relation i), of each connected set; `rows` are those of each relation.

    Exact up to 2^53 rows. The edges must make a tree of all relations. `look` is called before each set, and ends it by raising.
    """
    tree = _Tree(rows, edges, look)
    root = max(range(len(rows)), key=lambda relation: (len(tree.edges_of(relation)), rows[relation]))
    tree.visit(root, None)
    return tree.counts


def connected_sets(relations: int, edges: Sequence[tuple[int, int]]) -> int:
    """How many sets `tree_counts` counts: a product over what hangs below each relation."""
    near: dict[int, list[int]] = {number: [] for number in range(relations)}
    for left, right in edges:
        near[left].append(right)
        near[right].append(left)
    found = 0

    def topped_by(relation: int, above: int) -> int:
        nonlocal found
        ways = 1
        for below in near[relation]:
            if below != above:
                ways *= 1 + topped_by(below, relation)
        found += ways
        return ways

    topped_by(0, -1)
    return found


class _Tree:
    """The tree while it is counted."""

    def __init__(self, rows: Sequence[int], edges: Sequence[TreeEdge], look: Callable[[], None]) -> None:
        self._rows = rows
        self._edges = edges
        self._look = look
        self.counts: dict[int, int] = {}

    def edges_of(self, relation: int) -> list[TreeEdge]:
        return [edge for edge in self._edges if relation in (edge.left, edge.right)]

    def visit(self, relation: int, above: TreeEdge | None) -> dict[int, Weights]:
        """Counts the sets whose highest relation this is. For each of them the rows by key of the edge above."""
        below = [
            (edge.keys_of(relation), self.visit(edge.other(relation), edge))
            for edge in self.edges_of(relation)
            if edge is not above
        ]
        told: dict[int, Weights] = {}
        for relations, weights in _combined(1 << relation, np.ones(self._rows[relation]), below):
            self._look()
            self.counts[relations] = round(float(weights.sum()))
            if above is not None:
                told[relations] = np.bincount(above.keys_of(relation), weights, above.keys).astype(np.float64)
        return told


def _combined(
    relations: int, weights: Weights, below: Sequence[tuple[NDArray[Any], Mapping[int, Weights]]]
) -> Iterator[tuple[int, Weights]]:
    """Each way to take one part below an edge, or none, and how many rows there then are for each row."""
    if not below:
        yield relations, weights
        return
    (keys, parts), *rest = below
    yield from _combined(relations, weights, rest)
    for part, told in parts.items():
        yield from _combined(relations | part, weights * told[keys], rest)
