"""What executions of a query measured of one of its blocks of joins, for one that joined it in another order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tuner.model.join_graph import JoinGraph
from tuner.plan.merge_graphs import measured_by_labels

# Relations that have grown or shrunk by more are not what an earlier run measured the joins of.
_SAME_ROWS = 1.25
# Nor of those of which what both have joined has so many times as many rows: a product of several relations' and their keys'.
_SAME_JOINED = 2.0


class MeasuredBlock:
    """A block as one execution measured it."""

    __slots__ = ("_rows", "graph", "joined")

    def __init__(self, graph: JoinGraph) -> None:
        self.graph = graph
        self.joined = measured_by_labels(graph)
        relations = sorted(graph.relations, key=lambda r: (r.label, -1 if r.rows is None else r.rows))
        self._rows = [relation.rows for relation in relations]

    def is_as_large_as(self, then: MeasuredBlock) -> bool:
        """Whether what was measured of a block then still holds: its relations put out about as many rows, and so did what both
        runs joined of them. Other values of a filter may keep as many rows of a relation that meet many more of another."""
        for before, today in zip(then._rows, self._rows, strict=True):
            if before is not None and today is not None and not _are_alike(before, today, _SAME_ROWS):
                return False
        both = then.joined.keys() & self.joined.keys()
        return all(_are_alike(then.joined[one].rows, self.joined[one].rows, _SAME_JOINED) for one in both)


class KnownBlock:
    """One block as several executions measured it, oldest first."""

    def __init__(self, executions: Sequence[MeasuredBlock]) -> None:
        self._executions = executions
        # By what was joined, by its labels, the executions that did, oldest first.
        self._by_joined: dict[tuple[str, ...], list[int]] = {}
        for number, block in enumerate(executions):
            for labels in block.joined:
                self._by_joined.setdefault(labels, []).append(number)

    def in_other_orders(self, graph: JoinGraph) -> Sequence[JoinGraph]:
        """For each set of relations that an execution of the block did not join, the newest that did and was as large, oldest
        first."""
        now, found = MeasuredBlock(graph), set[int]()
        is_as_large = cache(lambda number: now.is_as_large_as(self._executions[number]))
        for labels in self._by_joined.keys() - now.joined.keys():
            newest = next(filter(is_as_large, reversed(self._by_joined[labels])), None)
            if newest is not None:
                found.add(newest)
        return [self._executions[number].graph for number in sorted(found)]


def _are_alike(then: int, today: int, factor: float) -> bool:
    return 1 / factor <= (then + 1) / (today + 1) <= factor
