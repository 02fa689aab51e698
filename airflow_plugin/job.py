"""What the tuner is told of a task's run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_plugin.settings import Settings, default_event_log_base
from airflow_plugin.submission import submission_of
from tuner.history.cohort_name import flaw, made_safe
from tuner.loop.loop import Job
from tuner.loop.time_limits import MostSeconds
from tuner.model.decision import Mode
from tuner.model.run import Origin
from tuner.steering.directives import Steering

if TYPE_CHECKING:
    from airflow_plugin.operator import SteeredSubmitOperator


def job_of(
    operator: SteeredSubmitOperator,
    ti: Any,
    settings: Settings,
    conf: Mapping[str, str],
    statements: tuple[str, ...],
) -> Job:
    """The job of one try; `conf` is what the task's author set."""
    arguments = operator._tuner_arguments()
    base = arguments.event_log_base or settings.event_log_base
    return Job(
        cohort=_cohort(arguments.cohort, f"{ti.dag_id}.{ti.task_id}", operator.log),
        key=f"{ti.dag_id}/{ti.run_id}/{ti.task_id}/{ti.map_index}/{ti.try_number}",
        try_number=ti.try_number,
        mode=Mode(arguments.mode) if arguments.mode else settings.mode,
        user_conf=conf,
        event_log_base=base or default_event_log_base(),
        base_is_shared=bool(base),
        statements=statements,
        steering=Steering(arguments.steering) if arguments.steering else settings.steering,
        origin=Origin(ti.dag_id, ti.run_id, ti.task_id, ti.map_index),
        submission=submission_of(operator, conf, settings.agent_jar),
        order_sensitive=settings.order_sensitive,
        most_seconds=MostSeconds(settings.most_seconds_before, settings.most_seconds_after),
    )


def _cohort(given: str, of_task: str, log: Any) -> str:
    """The cohort that the author named, where that is a name; else one like it, or the task's own, and a line that says so."""
    why = flaw(given) if given else ""
    if not why:
        return given or of_task
    cohort = made_safe(given) or of_task
    log.warning(
        "Spark tuner: %s cannot name a cohort: %s. This run belongs to cohort %s.", ascii(given[:100]), why, cohort
    )
    return cohort
