"""What the tuner is told of a task's run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from airflow_plugin.settings import Settings, default_event_log_base
from airflow_plugin.task_submission import TaskSubmission
from tuner.history.cohort_name import flaw, made_safe
from tuner.loop.loop import JobToRun
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.run import Origin
from tuner.model.size_change import MemoryLimits, Resources
from tuner.steering.directives import Steering


def job_of(task: TaskSubmission, settings: Settings, waited: float = 0.0) -> JobToRun:
    """The job of one try, before which its task has waited so many seconds."""
    arguments, ti = task.arguments, task.ti
    base = arguments.event_log_base or settings.event_log_base
    return JobToRun(
        cohort=_cohort(arguments.cohort, f"{ti.dag_id}.{ti.task_id}", task),
        key="/".join([_key_of_task(ti), *_job_parts(task), str(ti.try_number)]),
        try_number=ti.try_number,
        mode=Mode(arguments.mode) if arguments.mode else settings.mode,
        user_conf=task.conf,
        event_log_base=base or default_event_log_base(),
        base_is_shared=bool(base),
        statements=task.statements,
        steering=Steering(arguments.steering) if arguments.steering else settings.steering,
        origin=origin_of(ti),
        tags=_tags_of(ti),
        submission=task.submission,
        order_sensitive=settings.order_sensitive,
        borrows=settings.borrow,
        objective=Objective(arguments.objective) if arguments.objective else settings.objective,
        most_seconds=replace(settings.most_seconds, left=task.seconds_left, waited_before=waited),
        access=task.access,
        log_lands_late=task.log_lands_late or task.may_go_on,
        may_go_on=task.may_go_on,
        is_waited_for=task.is_waited_for,
        shares_task=bool(task.job_name),
        resources=_resources(arguments.spark_resources, settings) if task.sets_sizes else Resources.OBSERVE,
        memory_limits=MemoryLimits(
            settings.max_executor_memory, settings.max_driver_memory, task.shapes, task.is_driver_apart
        ),
        runs_as=task.runs_as,
        tries_left=_tries_left(ti),
    )


def _tries_left(ti: Any) -> int | None:
    """How many tries follow if this one fails; None where the task instance does not tell."""
    most = getattr(ti, "max_tries", None)
    return None if most is None else max(0, most + 1 - ti.try_number)


def _tags_of(ti: Any) -> tuple[str, ...] | None:
    """The tags of the task's DAG; None where the task instance does not tell."""
    tags = getattr(getattr(getattr(ti, "task", None), "dag", None), "tags", None)
    return None if tags is None else tuple(sorted(map(str, tags)))


def _resources(given: str, settings: Settings) -> Resources:
    return Resources(given) if given else settings.resources


def origin_of(ti: Any) -> Origin:
    """The task instance, as the history has it."""
    return Origin(ti.dag_id, ti.run_id, ti.task_id, -1 if ti.map_index is None else ti.map_index)


def job_name_in(key: str, ti: Any) -> str:
    """The name of the Spark job that a key of the task instance is of (`job_of`); "" where the task has one job."""
    name, _, _ = key.removeprefix(f"{_key_of_task(ti)}/").rpartition("/")
    return name


def _key_of_task(ti: Any) -> str:
    return f"{ti.dag_id}/{ti.run_id}/{ti.task_id}/{ti.map_index}"


def _job_parts(task: TaskSubmission) -> list[str]:
    """What tells a job's key from those of the task's other jobs."""
    return [task.job_name.replace("/", "_")] if task.job_name else []


def _cohort(given: str, of_task: str, task: TaskSubmission) -> str:
    """The cohort that the author named, where that is a name; else one like it, or the task's own, and a line that says so.
    Each of several jobs of a task has one of its own."""
    suffix = f".{made_safe(task.job_name)}" if task.job_name else ""
    return _of_task(given, of_task, task.log) + suffix


def _of_task(given: str, of_task: str, log: Any) -> str:
    why = flaw(given) if given else ""
    if not why:
        return given or of_task
    cohort = made_safe(given) or of_task
    log.warning(
        "Spark tuner: %s cannot name a cohort: %s. This run belongs to cohort %s.", ascii(given[:100]), why, cohort
    )
    return cohort
