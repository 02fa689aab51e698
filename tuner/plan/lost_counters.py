"""What a log counts in part only: Spark leaves events out where its listeners fall behind.

Each queue of its listener bus holds so many (spark.scheduler.listenerbus.eventqueue.capacity); nothing in the log tells of the
rest, but that a stage has fewer ends of tasks than tasks.
"""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.application import Stage


def lost_counters(stages: Iterable[Stage]) -> frozenset[int]:
    """The accumulators that tasks updated whose ends the log of an execution that succeeded lacks, or that did not succeed."""
    attempts: dict[int, list[Stage]] = {}
    for stage in stages:
        attempts.setdefault(stage.stage_id, []).append(stage)
    return frozenset().union(*(one.accumulator_ids for of in attempts.values() if _lacks_tasks(of) for one in of))


def _lacks_tasks(attempts: list[Stage]) -> bool:
    """A later attempt has only the tasks whose output was lost (DAGScheduler.submitMissingTasks)."""
    ended = sum(attempt.completed_tasks for attempt in attempts)
    tasks = max(attempt.tasks for attempt in attempts)
    return ended < tasks or ended > tasks == 0
