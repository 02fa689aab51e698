"""Insight: what DISTINCT inside an aggregate costs: another shuffle, and with several of them each row several times.

AggUtils.planAggregateWithOneDistinct groups by the keys and the distinct column first, and by the keys alone after;
RewriteDistinctAggregates, for distincts of several columns, puts each row into one group of each of them (Expand).
"""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import columns_text, operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

_EXPANDED = "gid#"  # RewriteDistinctAggregates' number of a group; a rollup's is spark_grouping_id
_DISTINCT = "(distinct "
# Fewer distinct values than this share of the rows make the first grouping pay for itself: the shuffle carries little.
MIN_SHUFFLED_SHARE = 0.1
# Fewer rows are shuffled in no time, whatever the stages around them take.
MIN_ROWS = 100_000
_SHUFFLES_OF_DISTINCT = 2


def distinct_aggregates(facts: InsightFacts) -> Iterator[Insight]:
    """Expands made for several distincts, and shuffles made for one that carry much of the rows."""
    for node in facts.plan.named("Expand"):
        if _EXPANDED in node.text and node.children and (facts.plan.rows(node) or 0) >= MIN_ROWS:
            yield _expanded(facts, node)
    for node in facts.plan.named(*AGGREGATES):
        parts = aggregate_parts(node)
        if parts and _DISTINCT in parts[1] and "partial_" not in parts[1] and (shuffle := _first_shuffle(facts, node)):
            rows_in, shuffled = _rows_into(facts, shuffle), facts.plan.rows(shuffle)
            if rows_in and shuffled and rows_in >= MIN_ROWS and shuffled >= MIN_SHUFFLED_SHARE * rows_in:
                yield _shuffled(facts, node, shuffle, rows_in, parts[1])


def _first_shuffle(facts: InsightFacts, node: PlanNode) -> PlanNode | None:
    """The shuffle by the keys and the distinct column, below the one by the keys alone; None where there is none."""
    shuffles: list[PlanNode] = []
    below = node
    while len(below.children) == 1 and len(shuffles) < _SHUFFLES_OF_DISTINCT:
        below = below.children[0]
        if below.name in SHUFFLES:
            shuffles.append(below)
        elif below.name not in (*AGGREGATES, "Sort", "Project"):
            return None
    if len(shuffles) < _SHUFFLES_OF_DISTINCT or shuffles[-1].children[0].name not in AGGREGATES:
        return None
    # With several distincts there is an Expand below, which says more.
    return None if shuffles[-1].children[0].children[0].name == "Expand" else shuffles[-1]


def _rows_into(facts: InsightFacts, shuffle: PlanNode) -> int | None:
    """Rows before the first grouping of the distinct column."""
    first = shuffle.children[0]
    return facts.plan.rows(first.children[0]) if first.children else None


def _expanded(facts: InsightFacts, node: PlanNode) -> Insight:
    rows, times = facts.plan.rows(node.children[0]), facts.plan.rows(node)
    written = [n for n in facts.plan.above(node) if n.name in SHUFFLES][:1]
    seconds = facts.plan.seconds_of((node, *written))
    factor = times / rows if rows and times else 1
    return facts.insight(
        InsightKind.DISTINCT_AGGREGATE,
        operator_text(facts.plan, node),
        seconds * (1 - 1 / factor) if factor > 1 else 0.0,
        Evidence("rows in", rows or 0, "rows"),
        Evidence("rows after Expand", times or 0, "rows"),
        Evidence("shuffled because of it", sum(n.metrics.get("shuffle bytes written", 0) for n in written), "bytes"),
        Evidence("its stage", seconds, "seconds"),
        groups=factor,
    )


def _shuffled(facts: InsightFacts, node: PlanNode, shuffle: PlanNode, rows_in: int, functions: str) -> Insight:
    plan = facts.plan
    after = plan.parent(shuffle)
    seconds = plan.seconds_of(n for n in (after,) if n is not None)
    return facts.insight(
        InsightKind.DISTINCT_AGGREGATE,
        operator_text(plan, node),
        seconds,
        Evidence("rows in", rows_in, "rows"),
        Evidence("rows shuffled to find the distinct ones", plan.rows(shuffle) or 0, "rows"),
        Evidence("shuffled because of it", shuffle.metrics.get("shuffle bytes written", 0), "bytes"),
        Evidence("the stage after that shuffle", seconds, "seconds"),
        columns=columns_text(plan, functions[functions.index(_DISTINCT) :].split(")", 1)[0]),
    )
