"""What executions of a query measured of one of its blocks of joins, for one that joined it in another order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from heapq import merge
from itertools import islice

from tuner.model.join_graph import JoinGraph
from tuner.plan.merge_graphs import measured_by_labels

# Relations that have grown or shrunk by more are not what an earlier run measured the joins of.
_SAME_ROWS = 1.25
# Nor of those of which what both have joined has so many times as many rows: a product of several relations' and their keys'.
_SAME_JOINED = 2.0
# Wider than `_SAME_ROWS`: what is as large is of the same class of sizes or of one beside it.
_CLASS_FACTOR = 1.3
# So many of the newest of these are looked at.
_MOST_LOOKED_AT = 200


class MeasuredBlock:
    """A block as one execution measured it."""

    __slots__ = ("graph", "joined", "rows")

    def __init__(self, graph: JoinGraph) -> None:
        self.graph = graph
        self.joined = measured_by_labels(graph)
        relations = sorted(graph.relations, key=lambda r: (r.label, -1 if r.rows is None else r.rows))
        self.rows = [relation.rows for relation in relations]

    def is_as_large_as(self, then: MeasuredBlock) -> bool:
        """Whether what was measured of a block then still holds: its relations put out about as many rows, and so did what both
        runs joined of them. Other values of a filter may keep as many rows of a relation that meet many more of another."""
        for before, today in zip(then.rows, self.rows, strict=True):
            if before is not None and today is not None and not _are_alike(before, today, _SAME_ROWS):
                return False
        both = then.joined.keys() & self.joined.keys()
        return all(_are_alike(then.joined[one].rows, self.joined[one].rows, _SAME_JOINED) for one in both)


class KnownBlock:
    """One block as several executions measured it, oldest first."""

    def __init__(self, executions: Sequence[MeasuredBlock]) -> None:
        self._executions = executions
        of_relations = list(zip(*([_size_class(rows) for rows in block.rows] for block in executions), strict=True))
        # The relation that tells most of them apart.
        self._telling = max(range(len(of_relations)), key=lambda n: len(set(of_relations[n])), default=0)
        # By what was joined, by its labels, and the size of that relation, the executions that did, oldest first.
        self._by_joined: dict[tuple[str, ...], dict[int | None, list[int]]] = {}
        for number, block in enumerate(executions):
            size = of_relations[self._telling][number]
            for labels in block.joined:
                self._by_joined.setdefault(labels, {}).setdefault(size, []).append(number)

    def in_other_orders(self, graph: JoinGraph) -> Sequence[JoinGraph]:
        """For each set of relations that an execution of the block did not join, the newest that did and was as large, oldest
        first."""
        now, found = MeasuredBlock(graph), set[int]()
        is_as_large = cache(lambda number: now.is_as_large_as(self._executions[number]))
        for labels in self._by_joined.keys() - now.joined.keys():
            newest = next(filter(is_as_large, self._nearly_as_large(now, labels)), None)
            if newest is not None:
                found.add(newest)
        return [self._executions[number].graph for number in sorted(found)]

    def _nearly_as_large(self, now: MeasuredBlock, labels: tuple[str, ...]) -> Iterator[int]:
        """Those that joined so much, and may be as large by the relation that tells most of them apart, newest first."""
        of_sizes, size = self._by_joined[labels], _size_class(now.rows[self._telling])
        near = of_sizes if size is None else (None, size - 1, size, size + 1)
        newest_first = merge(*(reversed(of_sizes.get(one, [])) for one in near), reverse=True)
        return islice(newest_first, _MOST_LOOKED_AT)


def _size_class(rows: int | None) -> int | None:
    return None if rows is None else math.floor(math.log(rows + 1, _CLASS_FACTOR))


def _are_alike(then: int, today: int, factor: float) -> bool:
    return 1 / factor <= (then + 1) / (today + 1) <= factor
