"""What the tuner is told of a task that is about to submit a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airflow_plugin.arguments import Arguments
from airflow_plugin.submission import connection_of, submission_of
from airflow_plugin.user_conf import user_conf_of
from tuner.spark.master import master_of, waits_for_completion
from tuner.spark.properties import HADOOP_USER
from tuner.steering.agent.submission import Submission

if TYPE_CHECKING:
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator


@dataclass(frozen=True, slots=True)
class TaskSubmission:
    """One try of a task: `conf` is what its author set, `submission` how it submits, `statements` its SQL, if it is SQL.

    `job_name` tells the Spark job from others of the task, where it has several; `access`, `log_lands_late`, `may_go_on` and
    `is_waited_for` are as those of `tuner.loop.turn.JobToRun`. `sets_sizes`: its memory is what its own properties say, and
    others can be submitted in their place, of the `shapes` that there are (see MemoryLimits); `is_driver_apart`: its driver is
    not beside the worker. `seconds_left` is what the task may still wait before its jobs (None: it has but one), `runs_as` the
    user whom its Spark impersonates or says it is.
    """

    ti: Any
    log: Any
    arguments: Arguments
    conf: Mapping[str, str]
    submission: Submission
    statements: tuple[str, ...] = ()
    pushes_xcom: bool = True
    job_name: str = ""
    access: Mapping[str, Any] = field(default_factory=dict, repr=False)
    log_lands_late: bool = False
    may_go_on: bool = False
    is_waited_for: bool = True
    sets_sizes: bool = False
    shapes: tuple[tuple[int, int], ...] = ()
    is_driver_apart: bool = False
    seconds_left: float | None = None
    runs_as: str = ""


def task_submission(
    operator: SparkSubmitOperator, ti: Any, arguments: Arguments, statements: tuple[str, ...], agent_jar: str
) -> TaskSubmission:
    """The submission of an operator whose fields are as its author wrote them."""
    connection = connection_of(operator._conn_id)
    conf = user_conf_of(operator, connection)
    submission = submission_of(operator, connection, conf, agent_jar)
    return TaskSubmission(
        ti,
        operator.log,
        arguments,
        conf,
        submission,
        statements,
        operator.do_xcom_push,
        may_go_on=not (_asks_cluster(operator, connection, submission) or waits_for_completion(submission.conf)),
        sets_sizes=True,
        runs_as=str(operator.proxy_user or (operator.env_vars or {}).get(HADOOP_USER) or ""),
    )


def _asks_cluster(operator: Any, connection: Any, submission: Submission) -> bool:
    """Whether an operator follows its application where spark-submit does not: SparkSubmitHook asks for that, of a standalone
    cluster (`_resolve_should_track_driver_status`) where the deploy mode is the operator's or its connection's, no property."""
    if master_of(submission.conf).startswith("spark"):
        extra = connection.extra_dejson if connection is not None else {}
        return bool((operator._deploy_mode or extra.get("deploy-mode")) == "cluster")
    return any(getattr(operator, name, False) for name in ("_yarn_track_via_rm_api", "_track_driver_via_k8s_api"))
