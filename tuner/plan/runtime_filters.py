"""Which sides of joins Spark has read less of by what the other side has: by a bloom filter, by dynamic partition pruning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.model.join_site import RuntimeFilter
from tuner.plan.looked_at import once_a_plan
from tuner.plan.node import PlanNode, makes_bloom_filter, prunes_partitions
from tuner.plan.relation import ScansBelow, scans_of


@dataclass(frozen=True, slots=True)
class _Filter:
    """What makes it: the metrics of the broadcasts that it reads, and the relations."""

    kind: RuntimeFilter
    broadcasts: frozenset[int]
    relations: frozenset[str]


class RuntimeFilters:
    """The filters that Spark and the agent added to a plan, by the operators that have them; `relations` are all below these."""

    def __init__(self, root: PlanNode) -> None:
        self._scans_below = scans_of(root)
        filtered = [
            (node, found)
            for node in root.walk_all()
            if node.subqueries and (found := list(_filters(node, self._scans_below)))
        ]
        self._filters = {id(node): found for node, found in filtered}
        below = (relation for node, _ in filtered for relation in self._scans_below.relations(node))
        self.relations: tuple[str, ...] = tuple(sorted(set(below)))

    def by_other(self, side: PlanNode, other: PlanNode) -> RuntimeFilter | None:
        """What the other side of a join has left out of this one; pruned partitions, where it is both.

        A filter is the other side's where that has made the broadcast that it reads, else where that reads its relations
        (PartitionPruning takes the whole of that side, InjectRuntimeFilter some part); not where a join within this side has.
        """
        found = [made for node in side.walk() for made in self._filters.get(id(node), ())] if self._filters else []
        if not found:
            return None
        within, others = _broadcasts(side), _broadcasts(other)
        relations = frozenset(self._scans_below.relations(other))
        kinds = {
            made.kind
            for made in found
            if made.broadcasts & others or (made.relations <= relations and not made.broadcasts & within)
        }
        return max(kinds, key=lambda kind: kind is RuntimeFilter.PARTITIONS, default=None)


runtime_filters = once_a_plan(RuntimeFilters)


def _filters(node: PlanNode, scans_below: ScansBelow) -> Iterator[_Filter]:
    for subquery in node.subqueries:
        if kind := _kind(subquery):
            made = subquery.subqueries[0] if subquery.subqueries else subquery
            yield _Filter(kind, _broadcasts(made), frozenset(scans_below.relations(made)))


def _kind(subquery: PlanNode) -> RuntimeFilter | None:
    if prunes_partitions(subquery):
        return RuntimeFilter.PARTITIONS
    return RuntimeFilter.BLOOM if makes_bloom_filter(subquery) else None


def _broadcasts(node: PlanNode) -> frozenset[int]:
    """The metrics of the broadcasts below an operator: the same wherever a plan shows them."""
    return frozenset(id_ for below in node.walk() if below.name == "BroadcastExchange" for id_ in below.counters)
