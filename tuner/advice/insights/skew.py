"""Insight: one task that ran much longer than the others of its stage, and held up its end."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.facts import InsightFacts
from tuner.advice.insights.measured_plan import wall_seconds
from tuner.advice.insights.model import Insight, InsightKind
from tuner.advice.insights.names import operator_text
from tuner.advice.model import Evidence
from tuner.eventlog.model import Stage

# What AQE calls skewed by size (spark.sql.adaptive.skewJoin.skewedPartitionFactor, 5.0), for times against the mean of
# the others.
MIN_FACTOR = 5.0
# A task that took half of its stage's time was what the stage waited for: others could have run meanwhile.
MIN_STAGE_SHARE = 0.5
MIN_TASKS = 3
# Reading twice as much as the others tells uneven data from a slow machine or a heavy row.
MIN_BYTES_FACTOR = 2.0


def skewed_stages(facts: InsightFacts) -> Iterator[Insight]:
    """Stages whose longest task took five times the mean of the others, and at least half of the stage's time."""
    for stage in facts.stages:
        wall = wall_seconds(stage)
        others = _mean_of_others(stage.executor_run_time_ms, stage.longest_task_ms, stage.completed_tasks) / 1e3
        longest = stage.longest_task_ms / 1e3
        if stage.completed_tasks < MIN_TASKS or stage.failed_tasks or stage.killed_tasks or others <= 0:
            continue  # times of attempts that failed are in the sum
        if longest >= MIN_FACTOR * others and longest >= MIN_STAGE_SHARE * wall:
            yield _insight(facts, stage, longest, others, wall)


def _mean_of_others(total: int, one: int, count: int) -> float:
    return max(0, total - one) / (count - 1) if count > 1 else 0.0


def _insight(facts: InsightFacts, stage: Stage, longest: float, others: float, wall: float) -> Insight:
    read = stage.input_bytes + stage.shuffle_read_bytes
    other_bytes = _mean_of_others(read, stage.longest_task_bytes, stage.completed_tasks)
    uneven = stage.longest_task_bytes >= MIN_BYTES_FACTOR * other_bytes and stage.longest_task_bytes > 0
    return facts.insight(
        InsightKind.SKEW,
        _operator(facts, stage),
        min(wall, longest - others),
        Evidence("longest task", longest, "seconds"),
        Evidence("mean of the other tasks", others, "seconds", f"{stage.completed_tasks} tasks"),
        Evidence("read by the longest task", stage.longest_task_bytes, "bytes"),
        Evidence("read by another task", other_bytes, "bytes"),
        Evidence("its stage", wall, "seconds", f"stage {stage.stage_id}"),
        reason=f"one task ran {longest / others:.0f} times as long as the others: " + _why(uneven),
        change=_change(stage, uneven),
    )


def _operator(facts: InsightFacts, stage: Stage) -> str:
    operators = facts.plan.operators_of(stage)
    joins = [node for node in operators if len(node.children) == 2]
    node = next(iter(joins or operators), None)
    return operator_text(facts.plan, node) if node else f"stage {stage.stage_id}"


def _why(uneven: bool) -> str:
    if uneven:
        return "it read much more, so a few keys or files hold most of the rows"
    return "it read no more than they did, so its rows are heavier (a key that many rows match) or its machine was slow"


def _change(stage: Stage, uneven: bool) -> str:
    if stage.input_bytes > stage.shuffle_read_bytes:
        return (
            "split the large file, or write it in a format and codec that can be split, so that several tasks read it"
        )
    if uneven:
        return "find the key that has most rows: filter it out if it means nothing (null, 0), else add a salt to it"
    return "look at the keys that match many rows on both sides, and at the machine if it is another one each night"
