"""One turn of the tuner's loop around one try of a task: begin before its job, end after it.

Imports the core: the operator imports this only when it executes, so that parsing a DAG does not pay for it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

from airflow_plugin import resume, settings, stats
from airflow_plugin.compat import AirflowTaskTimeout
from airflow_plugin.fail_open import failing_open
from airflow_plugin.job import job_of
from airflow_plugin.links import panel_url
from airflow_plugin.store_url import store_url
from airflow_plugin.user_conf import in_cluster_mode, user_conf_of
from tuner.history.failure import ending_in
from tuner.loop import loop
from tuner.printable import printable
from tuner.words.decisions import decision_summary

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_plugin.operator import SteeredSubmitOperator

XCOM_KEY = "spark_tuner"


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn under way, the store that knows of it, what it adds to the user's conf, and what replaces values of his."""

    turn: loop.Turn
    store_url: str
    conf: dict[str, str]
    merged: dict[str, str] = field(default_factory=dict)


def begin(operator: SteeredSubmitOperator, context: Context, statements: tuple[str, ...]) -> Begun | None:
    """Decide how this try is steered. None where the tuner is off or the try takes up a job it knows nothing of."""
    current = settings.load()
    if not current.enabled:
        return None
    conn_id = operator._tuner_arguments().store_conn_id
    connection = SparkSubmitHook.get_connection(conn_id) if conn_id else None
    url = store_url(current, os.environ, connection)
    if resume.will_reconnect(operator, context):
        return _taken_up(operator, context, url)
    ti, conf = context["ti"], user_conf_of(operator)
    with stats.timed("decide", ti):
        turn = loop.prepare(job_of(operator, ti, current, conf, statements), url)
    with failing_open(operator.log, "tell of the decision"):
        stats.decided(turn, ti)
        _tell(operator.log, turn)
    if in_cluster_mode(conf):
        with failing_open(operator.log, "keep this decision for a retry that reconnects to its job"):
            resume.remember(turn, operator, context)
    added = {key: value for key, value in turn.conf.items() if key not in conf}
    return Begun(turn, url, added, turn.directives.merged)


def end(begun: Begun, operator: SteeredSubmitOperator, context: Context, *, failed: bool, error: str = "") -> None:
    """Harvest the run and tell of it in the task log and an XCom. The job is over: a timeout now is not its own.

    `error` is what the operator raised.
    """
    with failing_open(operator.log, "harvest this run's event log", (AirflowTaskTimeout,)):
        ti = context["ti"]
        with stats.timed("harvest", ti):
            report = loop.complete(begun.turn, begun.store_url, failed=failed, ending=ending_in(error))
        with failing_open(operator.log, "push the XCom " + XCOM_KEY):
            _push(ti, operator, report)
        stats.harvested(report, ti)
        _tell(operator.log, report)
        if begun.turn.decision.changes:
            operator.log.info("spark-tuner: every change, with its evidence: %s", panel_url(ti))


def _taken_up(operator: SteeredSubmitOperator, context: Context, url: str) -> Begun | None:
    earlier = resume.recall(operator, context)
    if earlier is None:
        return None
    submitted = f"the job that try {earlier.job.try_number} submitted"
    operator.log.info("spark-tuner: continues %s: %s", submitted, printable(decision_summary(earlier.decision), 500))
    return Begun(earlier, url, {})


def _tell(log: Any, told: loop.Turn | loop.Report) -> None:
    for line in told.lines():
        log.info("%s", line)
    for line in told.details():
        log.debug("%s", line)


def _push(ti: Any, operator: SteeredSubmitOperator, report: loop.Report) -> None:
    if operator.do_xcom_push:
        ti.xcom_push(key=XCOM_KEY, value=report.as_json())
