"""Insight: the same part of a plan run twice.

Spark reuses an exchange whose plan is equal to another's (ReuseExchangeAndSubquery, and AQE by stage) but for the ids of
expressions. What is equal in everything that the log shows of it and yet ran twice was switched off, differs in what the
log does not show. Parts without an exchange of their own are never reused, and repeat no more than a scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import AGGREGATES
from tuner.plan.node import PlanNode
from tuner.plan.relation import files_bytes, is_scan, scan_columns
from tuner.plan.sides import SHUFFLES
from tuner.spark.knobs import EXCHANGE_REUSE

# What is compared: where a plan could share a result. A scan alone is shared by caching, if at all.
_EXCHANGES = SHUFFLES | {"BroadcastExchange"}
_TOPS = _EXCHANGES | AGGREGATES | {"SortMergeJoin", "BroadcastHashJoin", "ShuffledHashJoin"}
_ID = re.compile(r"#\d+L?(?!\d)")
_PLAN_ID = re.compile(r"\[(?:plan_)?id=#?\d+\]")
# A text cut short may hide what differs; a Location cut short names its first paths, and its files are compared too.
_CUT = re.compile(r"more fields|\.\.\.")


def duplicate_subplans(facts: InsightFacts) -> Iterator[Insight]:
    """Parts of the plan that ran more than once with equal operators, relations, files and rows; the largest parts only."""
    shapes = _shapes(facts)
    by_shape: dict[int, list[PlanNode]] = {}
    for node in facts.plan.operators:
        if node.name in _TOPS and (shape := shapes.get(id(node))) is not None:
            by_shape.setdefault(shape, []).append(node)
    covered: set[int] = set()
    for nodes in by_shape.values():  # in plan order: a part comes before what is below it
        alike = [
            node
            for node in nodes
            if id(node) not in covered and _runs_an_exchange(node) and _same_rows(facts, node, nodes[0])
        ]
        if len(alike) > 1:
            covered.update(id(below) for node in alike for below in node.walk())
            yield _insight(facts, alike)


def _shapes(facts: InsightFacts) -> dict[int, int]:
    """A number for each operator, equal where all that the log shows below it is; none where it shows too little."""
    numbers: dict[object, int] = {}
    found: dict[int, int] = {}
    for node in reversed(list(facts.final.walk_all())):  # what is below comes later in plan order
        below = [found.get(id(child)) for child in node.children + node.subqueries]
        if node.name == "ReusedExchange" and len(below) == 1 and below[0] is not None:
            found[id(node)] = below[0]
            continue
        text = _comparable(node)
        if text is None or None in below:
            continue
        found[id(node)] = numbers.setdefault((node.full_name, text, tuple(below)), len(numbers))
    return found


def _comparable(node: PlanNode) -> str | None:
    """An operator's text without ids; for a scan, its columns, schema, filters and files. None where it may hide a difference."""
    if not is_scan(node):
        return None if _CUT.search(node.text) else _without_ids(node.text)
    size = files_bytes(node)
    shown = [(k, _without_ids(v)) for k, v in sorted(node.metadata.items()) if k != "Location"]
    if size is None or not node.metadata or any(_CUT.search(value) for _, value in shown):
        return None
    where = node.metadata.get("Location", "")
    names = [name for name, _ in scan_columns(node)]
    return repr((names, shown, where, size, node.metrics.get("number of output rows")))


def _without_ids(text: str) -> str:
    return _PLAN_ID.sub("", _ID.sub("#", text))


def _same_rows(facts: InsightFacts, node: PlanNode, first: PlanNode) -> bool:
    return facts.plan.rows(node) == facts.plan.rows(first) and len(node.children) == len(first.children)


def _runs_an_exchange(node: PlanNode) -> bool:
    """Whether a shuffle or broadcast of its own ran below: what is reused, or has none, costs its last step only."""
    waiting = [node]
    while waiting:
        below = waiting.pop()
        if below.name in _EXCHANGES and below.metrics:
            return True
        if below.name != "ReusedExchange":
            waiting.extend(below.children)
    return False


def _insight(facts: InsightFacts, alike: list[PlanNode]) -> Insight:
    plan = facts.plan
    once = max(plan.seconds_of(node.walk()) for node in alike)
    extra = plan.seconds_of(below for node in alike for below in node.walk()) - once
    node = alike[0]
    files = sum(files_bytes(scan) or 0 for scan in plan.scans_below.scans(node))
    return facts.insight(
        InsightKind.DUPLICATE_SUBPLAN,
        operator_text(plan, node),
        extra,
        Evidence("times it ran", len(alike), "times"),
        Evidence("rows each time", plan.rows(node) or 0, "rows"),
        Evidence("files each time", files, "bytes"),
        Evidence("stages of all but the costliest", extra, "seconds"),
        property="" if facts.settings[EXCHANGE_REUSE] else EXCHANGE_REUSE.property,
    )
