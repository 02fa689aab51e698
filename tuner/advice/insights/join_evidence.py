"""The rows and seconds of a join, as evidence."""

from __future__ import annotations

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.model.change import Evidence
from tuner.plan.node import PlanNode


def join_evidence(facts: InsightFacts, join: PlanNode, *of: str) -> tuple[Evidence, ...]:
    """Rows of both sides and out, and the seconds of its stage. `of` says what the left and the right side are."""
    left, right = (facts.plan.rows(child) or 0 for child in join.children)
    of_left, of_right = of or ("", "")
    return (
        Evidence("rows of the left side", left, "rows", of_left),
        Evidence("rows of the right side", right, "rows", of_right),
        Evidence("rows out", facts.plan.rows(join) or 0, "rows"),
        Evidence("its stage", facts.plan.seconds(join), "seconds"),
    )
