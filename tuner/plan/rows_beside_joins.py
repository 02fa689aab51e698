"""Rows of the relations that no join has alone on a side: of a branch of a union, or of a subquery that gives a value."""

from __future__ import annotations

from collections.abc import Container, Iterator, Set

from tuner.plan.counting import NOTHING_LOST
from tuner.plan.counting_of import counting_of
from tuner.plan.node import PlanNode, each_once, is_unfilled, prunes
from tuner.plan.relation import is_scan, reads_rows, relation_name
from tuner.plan.sides import output_rows

_ROW_BY_ROW = frozenset({"Filter", "Project"})


def rows_beside_joins(
    root: PlanNode, on_sides: Container[str], *, finished: bool, lost: Set[int] = NOTHING_LOST
) -> Iterator[tuple[str, int]]:
    """Each scan of a relation that is none of these, with the rows that the filters right above it leave.

    `on_sides` are the relations that a join has alone on a side, `lost` are `lost_counters`. What was not counted is left out,
    and what the keys of other relations have pruned: sizes decide about that, not the values of its filters.
    """
    tops = [(relation_name(scan), top) for scan, top in _scans(root)]
    beside = [(relation, top) for relation, top in tops if relation not in on_sides and not _is_pruned(top)]
    if beside:
        counting = counting_of(root, finished=finished, lost=lost)
        for relation, top in beside:
            if (rows := output_rows(top, finished=finished, counting=counting)) is not None:
                yield relation, rows


def _scans(root: PlanNode) -> Iterator[tuple[PlanNode, PlanNode]]:
    """Each scan that reads rows once, with the topmost of the filters and projections right above it."""
    found = ((node, top) for node, top in _with_tops(root) if is_scan(node) and reads_rows(node))
    return each_once(found, lambda one: one[0])


def _is_pruned(top: PlanNode) -> bool:
    return any(prunes(subquery) for node in top.walk() for subquery in node.subqueries)


def _with_tops(root: PlanNode) -> Iterator[tuple[PlanNode, PlanNode]]:
    """The operators of a query, without what fills caches elsewhere, as `PlanNode.walk_query` has them."""
    waiting = [(root, root)]
    while waiting:
        node, top = waiting.pop()
        yield node, top
        if not is_unfilled(node):
            waiting += [(c, top if node.name in _ROW_BY_ROW else c) for c in node.children if not prunes(c)]
            waiting += [(s, s) for s in node.subqueries if not prunes(s)]
