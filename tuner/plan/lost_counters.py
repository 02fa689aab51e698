"""What a log counts in part only: Spark leaves events out where its listeners fall behind.

Each queue of its listener bus holds so many (spark.scheduler.listenerbus.eventqueue.capacity); nothing in the log tells of the
rest, but that a stage has fewer ends of tasks than tasks.
"""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.application import Stage
from tuner.plan.stage_attempts import attempts_by_stage, partitions_of


def lost_counters(stages: Iterable[Stage]) -> frozenset[int]:
    """The accumulators that tasks updated whose ends the log of an execution that succeeded lacks, or that did not succeed; but
    for those of which it has Spark's own sums."""
    found = set[int]()
    for attempts in attempts_by_stage(stages):
        lacks_tasks = _lacks_tasks(attempts)
        for attempt in attempts:
            found |= attempt.accumulator_ids if lacks_tasks else attempt.partial_ids
    return frozenset(found)


def lacks_ends(stages: Iterable[Stage]) -> bool:
    """Whether the log lacks ends of tasks, of stages that ran to their end: AQE cancels those that it needs no more."""
    return any(_lacks_tasks(attempts) and attempts[-1].failure is None for attempts in attempts_by_stage(stages))


def _lacks_tasks(attempts: list[Stage]) -> bool:
    ended, tasks = sum(attempt.completed_tasks for attempt in attempts), partitions_of(attempts)
    return ended < tasks or ended > tasks == 0
