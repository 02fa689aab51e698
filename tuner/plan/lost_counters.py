"""What a log counts in part only: Spark leaves events out where its listeners fall behind.

Each queue of its listener bus holds so many (spark.scheduler.listenerbus.eventqueue.capacity); nothing in the log tells of the
rest, but that a stage has fewer ends of tasks than tasks.
"""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.application import Stage


def lost_counters(stages: Iterable[Stage]) -> frozenset[int]:
    """The accumulators that tasks updated whose ends the log of an execution that succeeded lacks, or that did not succeed."""
    return frozenset().union(*(one.accumulator_ids for of in _by_id(stages) if _lacks_tasks(of) for one in of))


def lacks_ends(stages: Iterable[Stage]) -> bool:
    """Whether the log lacks ends of tasks, of stages that ran to their end: AQE cancels those that it needs no more."""
    return any(_lacks_tasks(attempts) and attempts[-1].failure is None for attempts in _by_id(stages))


def _by_id(stages: Iterable[Stage]) -> Iterable[list[Stage]]:
    attempts: dict[int, list[Stage]] = {}
    for stage in stages:
        attempts.setdefault(stage.stage_id, []).append(stage)
    return attempts.values()


def _lacks_tasks(attempts: list[Stage]) -> bool:
    """A later attempt has only the tasks whose output was lost (DAGScheduler.submitMissingTasks)."""
    ended = sum(attempt.completed_tasks for attempt in attempts)
    tasks = max(attempt.tasks for attempt in attempts)
    return ended < tasks or ended > tasks == 0
