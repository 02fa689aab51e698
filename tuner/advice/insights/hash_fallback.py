"""Insight: a hash aggregation that ran out of memory and sorted instead."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.facts import InsightFacts
from tuner.advice.insights.model import Insight, InsightKind
from tuner.advice.insights.names import operator_text
from tuner.advice.model import Evidence
from tuner.plan.node import PlanNode

# Since SPARK-35529 (3.2).
FALLBACK_TASKS = "number of sort fallback tasks"
SPILLED = "spill size"


def hash_fallbacks(facts: InsightFacts) -> Iterator[Insight]:
    """Hash aggregates that Spark says fell back to sorting; before it said so, those that spilled."""
    for node in facts.plan.named("HashAggregate"):
        tasks = facts.plan.tasks(node)
        fallen = _fallback_tasks(facts, node, tasks)
        if fallen and tasks:
            yield _insight(facts, node, min(fallen, tasks), tasks)


def _fallback_tasks(facts: InsightFacts, node: PlanNode, tasks: int) -> int:
    if FALLBACK_TASKS in node.metric_ids:
        return node.metrics.get(FALLBACK_TASKS, 0)
    # HashAggregateExec counts all that its task has spilled while it built: what runs below it, too.
    below = sum(n.metrics.get(SPILLED, 0) for n in facts.plan.operators_below(node))
    return tasks if node.metrics.get(SPILLED, 0) > below else 0


def _insight(facts: InsightFacts, node: PlanNode, fallen: int, tasks: int) -> Insight:
    plan = facts.plan
    source = "its input" if "partial_" in node.text else "the shuffle before it"
    return facts.insight(
        InsightKind.HASH_FALLBACK,
        operator_text(plan, node),
        plan.seconds(node) * fallen / tasks,
        Evidence("tasks that fell back to sorting", fallen, "tasks", f"of {tasks}"),
        Evidence("spilled", node.metrics.get(SPILLED, 0), "bytes"),
        Evidence("rows in", _rows_in(facts, node), "rows"),
        Evidence("groups out", plan.rows(node) or 0, "rows"),
        Evidence("its stage", plan.seconds(node), "seconds"),
        reason="its hash map outgrew the memory of a task, so it sorted the rest and merged",
        change=f"give a task more memory (fewer cores an executor, or a larger heap), or split {source} into more partitions",
    )


def _rows_in(facts: InsightFacts, node: PlanNode) -> int:
    return facts.plan.rows(node.children[0]) or 0 if node.children else 0
