"""Insight: a stage whose operators did not fit into memory and wrote to disk in between."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text, relations_text
from tuner.advice.insights.task_input import task_input
from tuner.model.application import Stage
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate_sites import FALLBACK_TASKS, SPILLED
from tuner.plan.measured_plan import wall_seconds
from tuner.plan.node import PlanNode


def spills(facts: InsightFacts) -> Iterator[Insight]:
    """Stages that spilled to disk, each under the operator that spilled most."""
    for stage in facts.stages:
        spilling = _most_spilling(facts, stage) if stage.disk_spilled_bytes else None
        if spilling is not None and not spilling.metrics.get(FALLBACK_TASKS):  # that is an insight of its own
            yield _insight(facts, stage, spilling)


def _most_spilling(facts: InsightFacts, stage: Stage) -> PlanNode | None:
    return max(facts.plan.operators_of(stage), key=lambda n: n.metrics.get(SPILLED, 0), default=None)


def _insight(facts: InsightFacts, stage: Stage, node: PlanNode) -> Insight:
    seconds = wall_seconds(stage)
    read = stage.input_bytes + stage.shuffle_read_bytes
    moved = read + stage.shuffle_write_bytes + stage.output_bytes
    # A shuffle's own sorter spills, too, and counts it nowhere else.
    own = node.metrics.get(SPILLED)
    operator = operator_text(facts.plan, node) if own else f"shuffle write over {relations_text(facts.plan, node)}"
    # What spills is written and read again: its share of all bytes that the stage's tasks moved.
    share = 2 * stage.disk_spilled_bytes / (2 * stage.disk_spilled_bytes + moved)
    tasks = task_input(facts, stage)
    return facts.insight(
        InsightKind.SPILL,
        operator,
        seconds * share,
        Evidence("spilled to disk", stage.disk_spilled_bytes, "bytes"),
        Evidence("that took in memory", stage.memory_spilled_bytes, "bytes"),
        Evidence("read by a task", read / max(1, stage.tasks), "bytes", f"{stage.tasks} tasks"),
        Evidence("its stage", seconds, "seconds", f"stage {stage.stage_id}"),
        property=tasks.property,
        of_shuffle=tasks.of_shuffle,
        joined=tasks.joined,
    )
