"""Insight: an outer join that neither added rows nor columns that anything uses.

EliminateOuterJoin drops such a join only where nothing above it can tell duplicates, or where it knows that the other
side's keys are unique (its distinctKeys, from a GROUP BY or DISTINCT in the query). Nothing tells it of a table's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text, relations_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES
from tuner.plan.joins import parse_join
from tuner.plan.measured_plan import wall_seconds
from tuner.plan.node import PlanNode

_JOINS = ("SortMergeJoin", "ShuffledHashJoin", "BroadcastHashJoin")
_NAMED_HERE = re.compile(r" AS [^\s,]+?#(\d+)L?(?!\d)")
# Operators that print all columns they put out: what they do not mention is gone above them.
_PRINTS_ITS_OUTPUT = AGGREGATES | {"Project", "TakeOrderedAndProject", "Expand"}
# Operators that mention all columns they use, and pass the others on.
_PASSING = frozenset({"Filter", "Sort", "Window", "Exchange", "ShuffleExchange", "BroadcastExchange", *_JOINS})


def unused_outer_joins(facts: InsightFacts) -> Iterator[Insight]:
    """Outer joins whose rows out are those of the side they keep, and of whose other side no column is used."""
    for node in facts.plan.named(*_JOINS):
        join = parse_join(node) if len(node.children) == 2 else None
        if join is None or join.type is not JoinType.LEFT_OUTER:
            continue
        kept, other = reversed(node.children) if join.flipped else node.children
        rows = facts.plan.rows(node)
        if rows and rows == facts.plan.rows(kept) and facts.plan.rows(other) and not _is_used(facts, node, kept, other):
            yield _insight(facts, node, kept, other)


def _is_used(facts: InsightFacts, node: PlanNode, kept: PlanNode, other: PlanNode) -> bool:
    """Whether anything above a join mentions a column that may be of its other side, as far as the texts tell.

    What an aggregate computes it puts out under ids that it does not print: an id of unknown origin may be the side's.
    """
    plan = facts.plan
    known, below = plan.columns_below(kept), node
    for above in plan.above(node):
        if "more fields" in above.text or above.name not in _PASSING | _PRINTS_ITS_OUTPUT:
            return True
        known |= {id_ for side in above.children if side is not below for id_ in plan.columns_below(side)}
        known |= {int(id_) for id_ in _NAMED_HERE.findall(above.text)}
        if not known >= plan.columns_of(above):
            return True
        if above.name in _PRINTS_ITS_OUTPUT:
            return False
        below = above
    return True


def _seconds(facts: InsightFacts, node: PlanNode, other: PlanNode) -> float:
    """Wall seconds of the stages that only made the other side, and of its sort in the join's own."""
    plan = facts.plan
    with_join = {(s.stage_id, s.attempt) for s in plan.stages(node)}
    stages = {(s.stage_id, s.attempt): s for below in other.walk() for s in plan.stages(below)}
    alone = sum(wall_seconds(stage) for key, stage in stages.items() if key not in with_join)
    sort_ms = other.metrics.get("sort time", 0) if other.name == "Sort" else 0
    return alone + plan.seconds_of_share(node, sort_ms)


def _insight(facts: InsightFacts, node: PlanNode, kept: PlanNode, other: PlanNode) -> Insight:
    plan, name = facts.plan, relations_text(facts.plan, other)
    seconds = _seconds(facts, node, other)
    return facts.insight(
        InsightKind.UNUSED_OUTER_JOIN,
        operator_text(plan, node),
        seconds,
        Evidence("rows kept", plan.rows(kept) or 0, "rows", relations_text(plan, kept)),
        Evidence("rows read to be joined", plan.rows(other) or 0, "rows", name),
        Evidence("rows out", plan.rows(node) or 0, "rows"),
        Evidence("making that side, with its sort", seconds, "seconds"),
        relation=name,
    )
