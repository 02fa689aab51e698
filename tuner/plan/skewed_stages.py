"""Stages that waited for one task, and whether AQE could split the partition it read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.model.application import Stage
from tuner.model.query import SkewedStage
from tuner.model.strategy import Strategy
from tuner.plan.aggregate import AGGREGATES, aggregate_parts, is_partial
from tuner.plan.joins import every_join
from tuner.plan.measured_plan import MeasuredPlan, wall_seconds
from tuner.plan.node import PlanNode
from tuner.plan.shuffles import is_of_user
from tuner.plan.sides import SHUFFLES, is_exchange

# What AQE calls skewed by size (spark.sql.adaptive.skewJoin.skewedPartitionFactor, 5.0), for times against the mean of
# the others.
MIN_FACTOR = 5.0
# A task that took half of its stage's time was what the stage waited for: others could have run meanwhile.
MIN_STAGE_SHARE = 0.5
MIN_TASKS = 3
# AQE joins what is small: on few cores a join's skewed partition may have one task beside it.
MIN_JOIN_TASKS = 2
# Joins of two shuffled sides: the ones OptimizeSkewedJoin looks at. Each with what stands between it and its shuffles.
_SPLIT = {Strategy.SORT_MERGE.value: ("Sort",), Strategy.SHUFFLED_HASH.value: ()}
_JOINS = frozenset(strategy.value for strategy in Strategy)
# The half of WindowGroupLimitExec before the shuffle takes rows as they come.
_PARTIAL_LIMIT = ", Partial"


@dataclass(frozen=True, slots=True)
class LongestTask:
    """The longest task of a stage beside the mean of the others: milliseconds of run time, bytes read."""

    ms: int
    mean_ms: float
    bytes: int
    mean_bytes: float


def longest_task(stage: Stage, min_tasks: int = MIN_TASKS) -> LongestTask | None:
    """The task a stage waited for: five times as long as the mean of the others, and half of the stage's time.

    None where no task stands out, it may be one of those that are not told, or attempts that failed are in the sum of times.
    Those that were killed may be, as where speculation ran the longest twice (`spark.speculation`): the mean is the larger for
    it, and the task stands out less.
    """
    if stage.completed_tasks < min_tasks or stage.failed_tasks or stage.untold_tasks:
        return None
    read = stage.input_bytes + stage.shuffle_read_bytes
    longest = stage.longest_task_ms
    mean = _mean_of_others(stage.executor_run_time_ms, longest, stage.completed_tasks)
    if mean <= 0 or longest < MIN_FACTOR * mean or longest < MIN_STAGE_SHARE * wall_seconds(stage) * 1e3:
        return None
    mean_bytes = _mean_of_others(read, stage.longest_task_bytes, stage.completed_tasks)
    return LongestTask(longest, mean, stage.longest_task_bytes, mean_bytes)


def find_skews(plan: MeasuredPlan, stages: Iterable[Stage]) -> tuple[SkewedStage, ...]:
    """The stages with joins or aggregates of which one task stood out, in order."""
    return tuple(_skews(plan, stages))


def _skews(plan: MeasuredPlan, stages: Iterable[Stage]) -> Iterator[SkewedStage]:
    for stage in stages:
        task = longest_task(stage, MIN_JOIN_TASKS)
        operators = plan.operators_of(stage) if task else []
        if task is None or not any(node.name in _JOINS or node.name in AGGREGATES for node in operators):
            continue
        join, obstacle = _splittable(operators)
        site = next((j for j in every_join(plan.root) if j.node is join), None) if join else None
        yield SkewedStage(
            longest_task_ms=task.ms,
            mean_task_ms=round(task.mean_ms),
            longest_task_bytes=task.bytes,
            mean_task_bytes=round(task.mean_bytes),
            tasks=stage.completed_tasks,
            shuffle_read_bytes=stage.shuffle_read_bytes,
            seconds=wall_seconds(stage),
            run_ms=stage.executor_run_time_ms,
            join=site.signature if site else None,
            occurrence=site.occurrence if site else 0,
            reshuffles=join is not None and _needs_its_partitions(plan, join),
            writers=_writers(plan, join) if join is not None else 0,
            obstacle=obstacle,
        )


def _mean_of_others(total: int, one: int, count: int) -> float:
    return max(0, total - one) / (count - 1) if count > 1 else 0.0


def _splittable(operators: Sequence[PlanNode]) -> tuple[PlanNode | None, str]:
    """The join of a stage whose partitions OptimizeSkewedJoin can split, or why there is none."""
    joins = [node for node in operators if node.name in _SPLIT]
    if not joins:
        return None, "it ran no join of two shuffled sides"
    if any("skew=true" in node.full_name for node in joins):
        return None, "AQE has split its partitions already"
    found = [(node, _sides(node)) for node in joins]
    node, sides = next(((node, sides) for node, sides in found if sides), (None, []))
    if node is None:
        return None, "its join reads what another operator of the stage puts out, not two shuffles"
    if any(map(is_of_user, sides)):
        return None, "a side was repartitioned by the user"
    return node, ""


def _sides(join: PlanNode) -> list[PlanNode]:
    """The shuffles of both sides of a join; none where something else stands between."""
    found = []
    for child in join.children:
        for name in _SPLIT[join.name]:
            if child.name != name or len(child.children) != 1:
                return []
            child = child.children[0]
        if child.name == "ReusedExchange" and child.children:
            child = child.children[0]
        if child.name not in SHUFFLES:
            return []
        found.append(child)
    return found


def _writers(plan: MeasuredPlan, join: PlanNode) -> int:
    """The tasks that wrote the larger side of a join: all their bytes are those of so many as the one that wrote most."""
    larger = max(_sides(join), key=lambda side: side.metrics.get("data size", 0))
    stages = plan.stages(larger)
    if any(stage.untold_tasks for stage in stages):
        return 0
    most = max((stage.most_written_bytes for stage in stages), default=0)
    return round(sum(stage.shuffle_write_bytes for stage in stages) / most) if most else 0


def _needs_its_partitions(plan: MeasuredPlan, join: PlanNode) -> bool:
    """Whether an operator above a join, in its stage, relies on rows of one key being together."""
    for above in plan.above(join):
        if is_exchange(above):
            return False
        if needs_partitions(plan, above):
            return True
    return False


def needs_partitions(plan: MeasuredPlan, node: PlanNode) -> bool:
    """Whether an operator relies on rows of one key being together: its input is shuffled for it, or need not be."""
    if node.name in _SPLIT:
        return True
    if node.name.startswith("Window"):
        return not node.text.endswith(_PARTIAL_LIMIT)
    parts = aggregate_parts(node) if node.name in AGGREGATES else None
    return parts is not None and ("merge_" in parts[1] or not is_partial(parts[1], shuffled=_is_shuffled(plan, node)))


def _is_shuffled(plan: MeasuredPlan, node: PlanNode) -> bool:
    above = plan.parent(node)
    return above is not None and above.name in SHUFFLES
