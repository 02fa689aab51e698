"""Joins that a real Spark executed, read back from the plan that AQE ended with."""

from __future__ import annotations

from typing import Any

from tuner.spark.join_selection.logical_join import Shuffle, Side, SideHint
from tuner.spark.join_selection.reselect_join import reselect_join

from .agreement import Compared
from .executed_cases import BASE, ExecutedCase
from .spark_planner import SparkPlanner, choice_of, each, joins_of, logical_join, sizes_of

_STAGES = ("ShuffleQueryStage", "BroadcastQueryStage")


def compare_executed(planner: SparkPlanner, case: ExecutedCase) -> Compared:
    """The case executed, and what the simulation makes of what was measured."""
    with planner.conf({**BASE, **case.conf}) as conf:
        execution = planner.run(case.statement).queryExecution()
        execution.toRdd().count()
        (operator,) = joins_of(execution.executedPlan())
        estimates = operator.logicalLink().get()
        sides = [
            _estimated(estimate, hint)
            if case.unknown and input_.late
            else _side(planner, plan, estimate, hint, users=input_.repartitioned)
            for input_, plan, estimate, hint in (
                (case.left, operator.left(), estimates.left(), case.left_hint),
                (case.right, operator.right(), estimates.right(), case.right_hint),
            )
        ]
        join = logical_join(case.type, *sides)
        return Compared(case.about, case.statement, case.conf, join, reselect_join(join, conf), choice_of(operator))


def _side(planner: SparkPlanner, plan: Any, logical: Any, hint: SideHint | None, *, users: bool) -> Side:
    """A side by the stage at its end; a broadcast of what was shuffled was AQE's own idea."""
    stage = _stage(plan)
    if stage is None:
        return _estimated(logical, hint)
    if stage.nodeName() == "BroadcastQueryStage":
        shuffled = _stage(stage.plan())
        if shuffled is None:
            return Side(_measured_bytes(stage), hint, measured=True, broadcast=True)
        stage = shuffled
    return Side(_measured_bytes(stage), hint, measured=True, shuffle=_shuffle(planner, stage, users=users))


def known_side(planner: SparkPlanner, logical: Any) -> Side:
    """A side as the logical plan that AQE planned from has it, without the hints that AQE gave it."""
    statistics = logical.stats().productIterator().mkString(",")
    stage = logical.physicalPlan() if logical.nodeName() == "LogicalQueryStage" else None
    kind = stage.nodeName() if stage else ""
    measured = statistics.endswith("true")
    shuffled = measured and kind == "ShuffleQueryStage" and stage.mapStats().isDefined()
    return Side(
        sizes_of(logical.stats()),
        measured=measured,
        shuffle=_shuffle(planner, stage, users=False) if shuffled else None,
        broadcast=kind == "BroadcastQueryStage",
    )


def _estimated(logical: Any, hint: SideHint | None) -> Side:
    return Side(sizes_of(logical.stats()), hint)


def _stage(plan: Any) -> Any:
    """The stage below operators of one input; None where there is none."""
    while plan.nodeName() not in _STAGES:
        below = list(each(plan.children()))
        if len(below) != 1:
            return None
        plan = below[0]
    return plan


def _measured_bytes(stage: Any) -> int:
    return sizes_of(stage.getRuntimeStatistics())


def _shuffle(planner: SparkPlanner, stage: Any, *, users: bool) -> Shuffle:
    written = planner.longs(stage.mapStats().get().bytesByPartitionId())
    return Shuffle(len(written), sum(bytes_ > 0 for bytes_ in written), max(written), sum(written), users)
