"""Insight: a scan of many files that are smaller than what opening one is reckoned to cost."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.node import PlanNode
from tuner.spark.knobs import FILES_OPEN_COST

# Spark packs files into tasks as if opening one took as long as reading that many bytes (FilePartition.maxSplitBytes).
# Fewer files are opened in no time, however small.
MIN_FILES = 100
_FILES = ("number of files read", "number of files")  # the latter before 3.0


def small_files(facts: InsightFacts) -> Iterator[Insight]:
    """Scans of at least a hundred files whose mean size is below the cost of opening one."""
    cost = facts.settings[FILES_OPEN_COST]
    for scan in facts.plan.scans():
        files = max(scan.metrics.get(name, 0) for name in _FILES)
        size = scan.metrics.get("size of files read")
        if size is not None and files >= MIN_FILES and size < cost * files:
            yield _insight(facts, scan, files, size, cost)


def _insight(facts: InsightFacts, scan: PlanNode, files: int, size: int, cost: int) -> Insight:
    plan = facts.plan
    listing = scan.metrics.get("metadata time", 0) / 1e3
    scan_ms = scan.metrics.get("scan time", 0)
    reading = facts.scan_seconds(scan, scan_ms)
    # Of what a file takes, the part that opening it is reckoned to be.
    opening = cost / (cost + size / files)
    return facts.insight(
        InsightKind.SMALL_FILES,
        operator_text(plan, scan),
        listing + reading * opening,
        Evidence("files read", files, "files"),
        Evidence("bytes a file", size / files, "bytes"),
        Evidence("bytes that opening a file is reckoned as", cost, "bytes", FILES_OPEN_COST.property),
        Evidence("tasks", plan.tasks(scan), "tasks"),
        Evidence("listing files, on the driver", listing, "seconds"),
        Evidence("scan, in all tasks", scan_ms / 1e3, "seconds"),
        file_bytes=size / files,
    )
