"""Insight: a partitioned table read whole, though most of its rows were dropped right after."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.joins import parse_join
from tuner.plan.node import PlanNode
from tuner.plan.relation import scan_columns
from tuner.printable import identifier, listed

# FileSourceScanExec declares it only for relations with partition columns.
PARTITIONS_READ = "number of partitions read"
MIN_PARTITIONS = 10
# A query that uses half of what it reads would have to read most partitions anyway.
MAX_KEPT = 0.5
_NO_FILTERS = re.compile(r"\bPartitionFilters: \[\]")
_JOINS = frozenset({s.value for s in Strategy})
# What these drop of a side does not tell whether it was used.
_NO_TELLING = frozenset({JoinType.FULL_OUTER, JoinType.LEFT_ANTI, JoinType.EXISTENCE})
_PASSING = frozenset({"Project", "Exchange", "ShuffleExchange", "BroadcastExchange", "Sort", "Filter"})
_FIELD = re.compile(r"[<,](`[^`]*`|[^:<>,`]+):")


def unpruned_partitions(facts: InsightFacts) -> Iterator[Insight]:
    """Scans of many partitions without a partition filter, whose rows a filter or a join right above mostly drops."""
    for scan in facts.plan.scans():
        partitions = scan.metrics.get(PARTITIONS_READ, 0)
        rows = scan.metrics.get("number of output rows", 0)
        if partitions < MIN_PARTITIONS or not rows or not _has_no_filter(scan):
            continue
        kept = _kept(facts, scan, rows)
        if kept <= MAX_KEPT * rows:
            yield _insight(facts, scan, partitions, rows, kept)


def _has_no_filter(scan: PlanNode) -> bool:
    filters = scan.metadata.get("PartitionFilters")
    return filters == "[]" if filters is not None else bool(_NO_FILTERS.search(scan.text))


def _kept(facts: InsightFacts, scan: PlanNode, rows: int) -> int:
    """The fewest rows that were left of a scan's, up to and with the first join above it."""
    fewest, below = rows, scan
    for above in facts.plan.above(scan):
        if above.name in _JOINS:
            return min(fewest, facts.plan.rows(above) or fewest) if _may_drop(above, below) else fewest
        if above.name not in _PASSING:
            break
        if above.name == "Filter":
            fewest = min(fewest, facts.plan.rows(above) or fewest)
        below = above
    return fewest


def _may_drop(join: PlanNode, side: PlanNode) -> bool:
    """Whether a join leaves out rows of this side that match nothing, so that what it puts out tells what was used."""
    parsed = parse_join(join)
    if parsed.type in _NO_TELLING:
        return False
    kept = join.children[-1 if parsed.flipped else 0]
    return parsed.type is not JoinType.LEFT_OUTER or side is not kept


def _insight(facts: InsightFacts, scan: PlanNode, partitions: int, rows: int, kept: int) -> Insight:
    plan = facts.plan
    scan_ms = scan.metrics.get("scan time", 0)
    return facts.insight(
        InsightKind.UNPRUNED_PARTITIONS,
        operator_text(plan, scan),
        facts.scan_seconds(scan, scan_ms),
        Evidence("partitions read", partitions, "partitions", "all there are"),
        Evidence("files", scan.metrics.get("size of files read", 0), "bytes"),
        Evidence("rows read", rows, "rows"),
        Evidence("rows left by the next filter or join, at most", kept, "rows"),
        Evidence("scan, in all tasks", scan_ms / 1e3, "seconds"),
        columns=listed(_partition_columns(scan)),
    )


def _partition_columns(scan: PlanNode) -> list[str]:
    """The columns that a scan puts out and does not read from the files."""
    schema = scan.metadata.get("ReadSchema", "")
    if not schema.startswith("struct<") or "more fields" in schema or "..." in schema:
        return []
    read = {name.strip("`").lower() for name in _FIELD.findall(schema)}
    return [identifier(name, 60) for name, _ in scan_columns(scan) if name.lower() not in read]
