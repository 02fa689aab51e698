"""Insight: an aggregation before a shuffle that makes hardly fewer rows of what it reads."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

# A partial aggregate that drops a row in ten has saved a tenth of the shuffle, about what hashing every row costs.
MIN_KEPT = 0.9
# Of fewer rows a task the ratio says little, and the cost is none.
MIN_ROWS = 100_000
# Hashing one row into a map larger than the caches, and reading it out: the final aggregate of TPC-DS 72 at SF3000 took
# 2.3 microseconds a row, with reading the shuffle. What is measured here holds the operators below, too.
MOST_NS_A_ROW = 2_000
_TIMES = ("time in aggregation build", "aggregate time")


def partial_aggregates(facts: InsightFacts) -> Iterator[Insight]:
    """Aggregates right below a shuffle that put out about as many rows as they take in."""
    for node in facts.plan.named(*AGGREGATES):
        parts, above = aggregate_parts(node), facts.plan.parent(node)
        if not parts or not parts[0] or above is None or above.name not in SHUFFLES or not node.children:
            continue
        rows_in, rows_out = facts.plan.rows(node.children[0]), facts.plan.rows(node)
        if rows_in and rows_out and rows_in >= MIN_ROWS and MIN_KEPT * rows_in <= rows_out <= rows_in:
            yield _insight(facts, node, rows_in, rows_out)


def _insight(facts: InsightFacts, node: PlanNode, rows_in: int, rows_out: int) -> Insight:
    plan = facts.plan
    # The build's time is that of what feeds it too, where code generation made one loop of them.
    build_ms = max((node.metrics.get(name, 0) for name in _TIMES), default=0)
    known_ms = sum(_known_ms(below) for below in plan.operators_below(node))
    own_ms = min(max(0, build_ms - known_ms), rows_in * MOST_NS_A_ROW / 1e6)
    seconds = plan.seconds_of_share(node, own_ms)
    return facts.insight(
        InsightKind.PARTIAL_AGGREGATE,
        operator_text(plan, node),
        seconds,
        Evidence("rows in", rows_in, "rows"),
        Evidence("rows out", rows_out, "rows"),
        Evidence("rows that it kept", rows_out / rows_in, "share"),
        Evidence("its build and what feeds it, in all tasks", build_ms / 1e3, "seconds"),
        Evidence("spilled", node.metrics.get("spill size", 0), "bytes"),
        Evidence("its stage", plan.seconds(node), "seconds"),
    )


def _known_ms(node: PlanNode) -> int:
    """What an operator below is known to have taken of its tasks' time."""
    return sum(node.metrics.get(name, 0) for name in ("scan time", "sort time", *_TIMES))
