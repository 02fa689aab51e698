"""What the tuner is told of a task's run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_plugin.settings import Settings, default_event_log_base
from airflow_plugin.submission import submission_of
from airflow_plugin.user_conf import in_cluster_mode
from tuner.errors import TunerError
from tuner.history.model import Mode, Origin
from tuner.loop import Job
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
    """The job of one try; `conf` is what the task's author set. Raises TunerError where no event log could be had."""
    arguments = operator._tuner_arguments()
    return Job(
        cohort=arguments.cohort or f"{ti.dag_id}.{ti.task_id}",
        key=f"{ti.dag_id}/{ti.run_id}/{ti.task_id}/{ti.map_index}/{ti.try_number}",
        try_number=ti.try_number,
        mode=Mode(arguments.mode) if arguments.mode else settings.mode,
        user_conf=conf,
        event_log_base=_event_log_base(arguments.event_log_base or settings.event_log_base, conf),
        statements=statements,
        steering=Steering(arguments.steering) if arguments.steering else settings.steering,
        origin=Origin(ti.dag_id, ti.run_id, ti.task_id, ti.map_index),
        submission=submission_of(operator, conf, settings.agent_jar),
        order_sensitive=settings.order_sensitive,
    )


def _event_log_base(given: str, conf: Mapping[str, str]) -> str:
    # Spark refuses to start where its event log directory is missing, as the worker's own is on another machine.
    if not given and in_cluster_mode(conf) and "spark.eventLog.dir" not in conf:
        raise TunerError(
            "deploy mode is cluster, whose driver cannot write under this worker's AIRFLOW_HOME; set event_log_base "
            "(the operator's, or [spark_tuner] event_log_base) to a directory or URL that both share"
        )
    return given or default_event_log_base()
