"""Insight: a join that compares every row of one side with every row of the other."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import columns_text, operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind, PairsCompared
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.joins import parse_join
from tuner.plan.node import PlanNode

# A side of a few rows (a scalar subquery, a list of limits) is a lookup, whatever the operator is called.
MIN_SIDE_ROWS = 10


def nested_loop_joins(facts: InsightFacts) -> Iterator[Insight]:
    """Cartesian products and nested loops with more than a few rows on both sides."""
    for node in facts.plan.named(Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP):
        pairs = _pairs(facts, node)
        if pairs is None or len(node.children) != 2:
            continue
        left, right, compared = pairs
        read = "each task reads its parts anew" if node.name == Strategy.CARTESIAN else ""
        yield facts.insight(
            InsightKind.NESTED_LOOP_JOIN,
            operator_text(facts.plan, node),
            facts.plan.seconds(node),
            Evidence("rows of the left side", left, "rows", read),
            Evidence("rows of the right side", right, "rows", read),
            Evidence("pairs of rows", compared, "rows"),
            Evidence("rows out", facts.plan.rows(node) or 0, "rows"),
            Evidence("its stage", facts.plan.seconds(node), "seconds"),
            why=_why(node),
            columns=columns_text(facts.plan, _condition(node)),
            has_or=" OR " in node.text,
        )


def _pairs(facts: InsightFacts, node: PlanNode) -> tuple[int, int, int] | None:
    """Rows of both sides and the pairs of them; None where a side has hardly any, or was not counted."""
    left, right = (facts.plan.rows(child) for child in node.children[:2])
    if left is None or right is None or min(left, right) < MIN_SIDE_ROWS:
        return None
    # Each task of a CartesianProduct (UnsafeCartesianRDD) computes one partition of each side anew.
    repeated = max(1, facts.plan.tasks(node)) if node.name == Strategy.CARTESIAN else 1
    return left, right, left * right // repeated


def _condition(node: PlanNode) -> str:
    """What a join prints besides its name, type and build side."""
    text = node.text.removeprefix(node.name)
    return text[text.find("(") :] if "(" in text else ""


def _is_null_aware(node: PlanNode) -> bool:
    """Whether NOT IN made it: an anti join whose condition counts unknown as equal (RewritePredicateSubquery)."""
    return parse_join(node).type is JoinType.LEFT_ANTI and "isnull(" in node.text


def _why(node: PlanNode) -> PairsCompared:
    if _is_null_aware(node):
        return PairsCompared.NULL_AWARE
    return PairsCompared.NO_EQUALITY if _condition(node) else PairsCompared.NO_CONDITION
