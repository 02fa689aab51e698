"""Insight: one task that ran much longer than the others of its stage, and held up its end."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.application import Stage
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.measured_plan import wall_seconds
from tuner.plan.skewed_stages import LongestTask, longest_task

# Reading twice as much as the others tells uneven data from a slow machine or a heavy row.
MIN_BYTES_FACTOR = 2.0


def skewed_stages(facts: InsightFacts) -> Iterator[Insight]:
    """Stages whose longest task took five times the mean of the others, and at least half of the stage's time."""
    for stage in facts.stages:
        task = longest_task(stage)
        if task is not None:
            yield _insight(facts, stage, task)


def _insight(facts: InsightFacts, stage: Stage, task: LongestTask) -> Insight:
    wall, longest, others = wall_seconds(stage), task.ms / 1e3, task.mean_ms / 1e3
    uneven = task.bytes >= MIN_BYTES_FACTOR * task.mean_bytes and task.bytes > 0
    return facts.insight(
        InsightKind.SKEW,
        _operator(facts, stage),
        min(wall, longest - others),
        Evidence("longest task", longest, "seconds"),
        Evidence("mean of the other tasks", others, "seconds", f"{stage.completed_tasks} tasks"),
        Evidence("read by the longest task", task.bytes, "bytes"),
        Evidence("read by another task", task.mean_bytes, "bytes"),
        Evidence("its stage", wall, "seconds", f"stage {stage.stage_id}"),
        times=longest / others,
        uneven=uneven,
        of_files=stage.input_bytes > stage.shuffle_read_bytes,
    )


def _operator(facts: InsightFacts, stage: Stage) -> str:
    operators = facts.plan.operators_of(stage)
    joins = [node for node in operators if len(node.children) == 2]
    node = next(iter(joins or operators), None)
    return operator_text(facts.plan, node) if node else f"stage {stage.stage_id}"
