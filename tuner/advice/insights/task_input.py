"""What a stage's tasks read, and the property that tells how much of it each of them has."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.model.application import Stage
from tuner.plan.node import is_cache
from tuner.plan.relation import is_scan
from tuner.plan.shuffles import is_adjustable, shuffle_partitions
from tuner.plan.sides import SHUFFLES
from tuner.spark.join_selection.selection_conf import coalesces_partitions
from tuner.spark.knobs import ADVISORY_PARTITION_SIZE, FILES_MAX_PARTITION_BYTES, SHUFFLE_PARTITIONS


@dataclass(frozen=True, slots=True)
class TaskInput:
    """`property` tells how much of it a task has; "" where none does: the job gives the number of partitions by itself, or the
    stage reads neither files nor a shuffle. `of_shuffle`: most of it comes from shuffles. `joined`: AQE joined their partitions
    for these tasks, and would join more of them again."""

    property: str
    of_shuffle: bool
    joined: bool = False


def task_input(facts: InsightFacts, stage: Stage) -> TaskInput:
    of_shuffle = stage.shuffle_read_bytes > 0 and stage.shuffle_read_bytes >= stage.input_bytes
    if not of_shuffle:
        is_of_files = any(is_scan(node) and not is_cache(node) for node in facts.plan.operators_of(stage))
        return TaskInput(FILES_MAX_PARTITION_BYTES.property if stage.input_bytes and is_of_files else "", of_shuffle)
    read = [node for node in facts.plan.named(*SHUFFLES) if stage in facts.plan.reading_stages(node)]
    numbers = [shuffle_partitions(node.text) or 0 for node in read if is_adjustable(node)]
    if read and not numbers:
        return TaskInput("", of_shuffle)
    if coalesces_partitions(facts.settings) and stage.tasks < max(numbers, default=0):
        return TaskInput(ADVISORY_PARTITION_SIZE.property, of_shuffle, joined=True)
    return TaskInput(SHUFFLE_PARTITIONS.property, of_shuffle)
