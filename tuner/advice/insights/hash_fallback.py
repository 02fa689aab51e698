"""Insight: a hash aggregation that ran out of memory and sorted instead."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.advice.insights.task_input import task_input
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate_sites import SPILLED, fallback_tasks, input_rows
from tuner.plan.node import PlanNode


def hash_fallbacks(facts: InsightFacts) -> Iterator[Insight]:
    """Hash aggregates that Spark says fell back to sorting; before it said so, those that spilled."""
    for node in facts.plan.named("HashAggregate"):
        tasks = facts.plan.tasks(node)
        fallen = _fallback_tasks(facts, node, tasks)
        if fallen and tasks:
            yield _insight(facts, node, min(fallen, tasks), tasks)


def _fallback_tasks(facts: InsightFacts, node: PlanNode, tasks: int) -> int:
    counted = fallback_tasks(node)
    if counted is not None:
        return counted
    # HashAggregateExec counts all that its task has spilled while it built: what runs below it, too.
    below = sum(n.metrics.get(SPILLED, 0) for n in facts.plan.operators_below(node))
    return tasks if node.metrics.get(SPILLED, 0) > below else 0


def _insight(facts: InsightFacts, node: PlanNode, fallen: int, tasks: int) -> Insight:
    plan = facts.plan
    joined = next((read for stage in plan.stages(node) if (read := task_input(facts, stage)).joined), None)
    return facts.insight(
        InsightKind.HASH_FALLBACK,
        operator_text(plan, node),
        plan.seconds(node) * fallen / tasks,
        Evidence("tasks that fell back to sorting", fallen, "tasks", f"of {tasks}"),
        Evidence("spilled", node.metrics.get(SPILLED, 0), "bytes"),
        Evidence("rows in", input_rows(plan, node) or 0, "rows"),
        Evidence("groups out", plan.rows(node) or 0, "rows"),
        Evidence("its stage", plan.seconds(node), "seconds"),
        partial="partial_" in node.text,
        property=joined.property if joined else "",
    )
