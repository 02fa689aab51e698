"""Insight: a filter that keeps few rows, of which the scan below knows nothing, and what keeps it from the scan.

DataSourceStrategy.translateFilter pushes comparisons of a bare column with a literal; anything computed from the column
stays above the scan, which then reads, decodes and hands up every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.columnar import is_columnar
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import columns_text, operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind, NotPushed
from tuner.plan.expression import attributes, bracketed, conjuncts
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan

# Pushed, a filter skips whole row groups: that pays where it drops most rows.
MAX_KEPT = 0.2
MIN_ROWS = 10_000
# Filters that Spark adds by itself, or whose value it only knows when it runs: they may be what keeps few rows.
_DERIVED = ("isnotnull(", "dynamicpruning", "might_contain", "subquery")
_UDFS = ("BatchEvalPython", "ArrowEvalPython")
_PUSHED = "PushedFilters: ["
_CAST = re.compile(r"\b(?:cast|try_cast|ansi_cast)\([^\s()]+#\d+")
_SCALA_UDF = re.compile(r"\bUDF\(|\bpythonUDF\d")
_FUNCTION = re.compile(
    r"\b(upper|lower|trim|substring|substr|left|right|concat|coalesce|nvl|year|month|day|dayofmonth|hour|date_format"
    r"|to_date|date_trunc|trunc|unix_timestamp|from_unixtime|abs|round|length|regexp_extract|regexp_replace|split|hash|md5"
    r"|get_json_object)\("
)
_ARITHMETIC = re.compile(r"\([^\s()]+#\d+L? [-+*/%] ")


def unpushed_filters(facts: InsightFacts) -> Iterator[Insight]:
    """Filters right above a file scan that drop most rows, of whose conditions none reached the scan."""
    for node in facts.plan.named("Filter"):
        scan = _scan_below(node)
        if scan is None or not (is_columnar(scan) or scan.name == "InMemoryTableScan"):
            continue
        rows_in, rows_out = facts.plan.rows(scan), facts.plan.rows(node)
        if rows_in is None or rows_out is None or rows_in < MIN_ROWS or rows_out > MAX_KEPT * rows_in:
            continue
        blocked = _blocked(node, scan)
        if blocked is not None:
            yield _insight(facts, node, scan, rows_in, rows_out, *blocked)


def _scan_below(node: PlanNode) -> PlanNode | None:
    """The file scan or the cache that feeds a filter, perhaps through a UDF's evaluation."""
    below = node
    while len(below.children) == 1 and not is_scan(below):
        below = below.children[0]
        if not is_scan(below) and below.name not in (*_UDFS, "Project"):
            return None
    return below if is_scan(below) and below is not node else None


def _blocked(node: PlanNode, scan: PlanNode) -> tuple[str, NotPushed] | None:
    """A condition of the filter and what keeps it from the scan; None where some condition reached it, or may have."""
    parts = conjuncts(node.text.removeprefix("Filter "))
    if any(word in part for part in parts for word in _DERIVED[1:]):
        return None
    selective = [part for part in parts if not part.startswith(_DERIVED[0])]
    if scan.name == "InMemoryTableScan":
        return (selective[0], NotPushed.CACHE) if selective else None
    if _pushes_more_than_nulls(scan):
        return None
    if node.children[0].name in _UDFS or (node.children[0].name == "Project" and _below_is_udf(node)):
        udf = [part for part in selective if "pythonUDF" in part]
        return (udf[0], NotPushed.PYTHON_UDF) if udf and len(udf) == len(selective) else None
    found = [(part, cause) for part in selective if (cause := _blocker(part))]
    return found[0] if found and len(found) == len(selective) else None


def _below_is_udf(node: PlanNode) -> bool:
    below = node.children[0]
    return bool(below.children) and below.children[0].name in _UDFS


def _pushes_more_than_nulls(scan: PlanNode) -> bool:
    """Whether a scan has filters besides null checks, or its text does not tell."""
    pushed = scan.metadata.get("PushedFilters")
    if pushed is None:
        found = bracketed(scan.text, scan.text.find(_PUSHED)) if _PUSHED in scan.text else None
        pushed = found[0] if found else None
    if pushed is None or "..." in pushed:
        return True
    return any(
        not f.strip().startswith("IsNotNull(") for f in re.split(r", (?=\*?[A-Z])", pushed.strip("[] ")) if f.strip()
    )


def _blocker(part: str) -> NotPushed | None:
    """What in a condition keeps it from a scan; None where nothing is recognised."""
    if len({id_ for _, id_ in attributes(part)}) != 1:
        return None
    if _SCALA_UDF.search(part):
        return NotPushed.UDF
    if _CAST.search(part):
        return NotPushed.CAST
    if _FUNCTION.search(part):
        return NotPushed.FUNCTION
    return NotPushed.ARITHMETIC if _ARITHMETIC.search(part) else None


def _insight(
    facts: InsightFacts, node: PlanNode, scan: PlanNode, rows_in: int, rows_out: int, part: str, why: NotPushed
) -> Insight:
    plan = facts.plan
    scan_ms = scan.metrics.get("scan time", 0)
    function = _FUNCTION.search(part)
    of = columns_text(plan, part) or columns_text(plan, node.children[0].text)
    return facts.insight(
        InsightKind.UNPUSHED_FILTER,
        f"Filter{f' on {of}' if of and why is not NotPushed.CACHE else ''} over {operator_text(plan, scan)}",
        facts.scan_seconds(node, scan_ms),
        Evidence("rows read", rows_in, "rows"),
        Evidence("rows kept", rows_out, "rows"),
        Evidence("share kept", rows_out / rows_in, "share"),
        Evidence("files", scan.metrics.get("size of files read", 0), "bytes"),
        Evidence("scan, in all tasks", scan_ms / 1e3, "seconds"),
        why=why,
        function=function[1] if function and why is NotPushed.FUNCTION else "",
    )
