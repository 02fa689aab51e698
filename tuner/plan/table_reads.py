"""The catalog tables a query reads, and the columns of theirs whose statistics the planner would ask for."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.model.query import TableRead
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.counting import Counting
from tuner.plan.counting_of import counting_of
from tuner.plan.expression import attributes
from tuner.plan.joins import JOINS
from tuner.plan.lineage import lineage_of
from tuner.plan.node import PlanNode, each_once
from tuner.plan.relation import catalog_table, files_bytes, is_scan, relation_name, scan_columns


def table_reads(root: PlanNode) -> tuple[TableRead, ...]:
    """Each catalog table once, by name: columns in filters, join keys and grouping; rows and bytes of its largest scan.

    Rows that a pruned or pushed-down scan leaves out are not counted.
    """
    lineage, counting = lineage_of(root), counting_of(root, finished=True)
    asked = {
        owner
        for node in root.walk_query()
        for _, id_ in attributes(_asking(node))
        if (owner := lineage.owner.get(lineage.original(id_)))
    }
    found: dict[str, TableRead] = {}
    for scan in each_once(filter(is_scan, root.walk_all()), lambda node: node):
        if table := catalog_table(scan):
            relation = relation_name(scan)
            columns = {name for name, _ in scan_columns(scan) if (relation, name) in asked}
            found[table] = _together(found.get(table), TableRead(table, tuple(sorted(columns)), *_size(scan, counting)))
    return tuple(found[table] for table in sorted(found))


def _size(scan: PlanNode, counting: Counting) -> tuple[int, int]:
    return scan.metrics.get("number of output rows", 0) // counting.runs.get(id(scan), 1), files_bytes(scan) or 0


def _together(one: TableRead | None, other: TableRead) -> TableRead:
    if one is None:
        return other
    columns = tuple(sorted({*one.columns, *other.columns}))
    return TableRead(one.table, columns, max(one.rows, other.rows), max(one.file_bytes, other.file_bytes))


def _asking(node: PlanNode) -> str:
    """The part of an operator's text whose columns' statistics FilterEstimation, JoinEstimation and
    AggregateEstimation read."""
    if node.name == "Filter" or node.name in JOINS:
        return node.text
    if node.name in AGGREGATES:
        parts = aggregate_parts(node)
        return parts[0] if parts else ""
    return " ".join(_pushed(node)) if is_scan(node) else ""


def _pushed(scan: PlanNode) -> Iterator[str]:
    for name in ("PartitionFilters", "DataFilters"):
        yield scan.metadata.get(name, "")
