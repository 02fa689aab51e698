"""Insight: an aggregation into objects (collect_set, percentile, a UDAF) that gave up hashing after some keys."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.round_number import round_number
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import aggregate_parts
from tuner.plan.aggregate_sites import SPILLED, fallback_tasks
from tuner.plan.node import PlanNode
from tuner.spark.knobs import OBJECT_HASH_FALLBACK_THRESHOLD

# Keys are not spread evenly over tasks, and there will be more of them tomorrow.
_ROOM = 2


def object_hash_fallbacks(facts: InsightFacts) -> Iterator[Insight]:
    """Object hash aggregates with more keys in a task than the threshold, by what they count or by their keys."""
    threshold = facts.settings[OBJECT_HASH_FALLBACK_THRESHOLD]
    for node in facts.plan.named("ObjectHashAggregate"):
        parts, tasks = aggregate_parts(node), facts.plan.tasks(node)
        groups = facts.plan.rows(node) or 0
        if not parts or not parts[0] or not tasks:
            continue
        # Where Spark does not count them: more keys than the threshold allows all tasks must have been too many for one.
        counted = fallback_tasks(node)
        fallen = counted if counted is not None else int(groups > threshold * tasks)
        if fallen:
            yield _insight(facts, node, threshold, fallen, groups, tasks)


def _insight(facts: InsightFacts, node: PlanNode, threshold: int, fallen: int, groups: int, tasks: int) -> Insight:
    keys_a_task = max(threshold, groups // tasks)
    wanted = round_number(_ROOM * keys_a_task, 2 * _ROOM * keys_a_task)
    counted = fallback_tasks(node) is not None
    return facts.insight(
        InsightKind.OBJECT_HASH_FALLBACK,
        operator_text(facts.plan, node),
        facts.plan.seconds(node) * (min(1.0, fallen / tasks) if counted else 1.0),
        Evidence("tasks that fell back to sorting", fallen, "tasks", f"of {tasks}{'' if counted else ', at least'}"),
        Evidence("keys a task", groups / tasks, "keys"),
        Evidence("threshold", threshold, "keys", OBJECT_HASH_FALLBACK_THRESHOLD.property),
        Evidence("spilled", node.metrics.get(SPILLED, 0), "bytes"),
        Evidence("its stage", facts.plan.seconds(node), "seconds"),
        property=OBJECT_HASH_FALLBACK_THRESHOLD.property,
        keys=wanted,
    )
