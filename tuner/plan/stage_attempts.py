"""The attempts at each stage of a query, and what of their work was done again."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.application import Stage


def attempts_by_stage(stages: Iterable[Stage]) -> list[list[Stage]]:
    """The attempts at each stage, in the order of stages and attempts as they come."""
    attempts: dict[int, list[Stage]] = {}
    for stage in stages:
        attempts.setdefault(stage.stage_id, []).append(stage)
    return list(attempts.values())


def partitions_of(attempts: Iterable[Stage]) -> int:
    """The tasks that a stage needs; a later attempt has only those whose output was lost (DAGScheduler.submitMissingTasks)."""
    return max(attempt.tasks for attempt in attempts)


def repeated_run_ms(stages: Iterable[Stage]) -> int:
    """Run time of tasks (ms, summed) beyond one for each partition: those that failed, and those whose output was lost with its
    executor. Each is taken for as long as its stage's others; copies that were killed are none of them."""
    return round(sum(_repeated(attempts) for attempts in attempts_by_stage(stages)))


def _repeated(attempts: list[Stage]) -> float:
    if min(attempt.attempt for attempt in attempts) > 0:
        # Of a job that reads what an earlier one wrote, and finds it lost: AQE gives each job stages of its own.
        return sum(attempt.executor_run_time_ms for attempt in attempts)
    ended = sum(attempt.completed_tasks + attempt.failed_tasks for attempt in attempts)
    beyond = max(0, ended - partitions_of(attempts))
    return sum(attempt.executor_run_time_ms for attempt in attempts) * beyond / ended if beyond else 0.0
