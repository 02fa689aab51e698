"""One turn of the tuner's loop around one try of a task: begin before its job, end after it.

Imports the core: the operator imports this only when it executes, so that parsing a DAG does not pay for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from airflow.sdk import BaseHook

from airflow_plugin import stats
from airflow_plugin.compat import AirflowTaskTimeout
from airflow_plugin.fail_open import failing_open
from airflow_plugin.if_ended import if_ended
from airflow_plugin.job import job_name_in, job_of, origin_of
from airflow_plugin.links import panel_url
from airflow_plugin.settings import Settings
from airflow_plugin.store_url import is_asked, store_url
from airflow_plugin.task_submission import TaskSubmission
from tuner.history.failure import ending_in
from tuner.loop import loop
from tuner.loop.log_lines import lines_of, report_details, report_lines, turn_details, turn_lines
from tuner.loop.time_limits import MostSeconds
from tuner.model.run import Run
from tuner.printable import printable
from tuner.within_time import within
from tuner.words.decisions import decision_summary

XCOM_KEY = "spark_tuner"
# Seconds that the store's URL may take whatever was waited for before: most are told at once.
_LEAST_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn under way, the store that knows of it, what it adds to the user's conf, and what replaces values of his; `heals`
    says that its job died in the same try before, `is_submitted` that its job was submitted by an earlier try."""

    task: TaskSubmission
    turn: loop.Turn
    store_url: str
    conf: dict[str, str]
    merged: dict[str, str] = field(default_factory=dict)
    heals: bool = False
    is_submitted: bool = False


def begin(task: TaskSubmission, current: Settings, *, heals: bool = False, waited: float = 0.0) -> Begun:
    """Decide how this try is steered, or (`heals`) how its job is submitted once more in it, in what is left of the task's time
    once it has `waited` so many seconds."""
    url, asked = _store_url(task, current, waited)
    job = job_of(task, current, waited + asked)
    with stats.timed("decide", task.ti):
        turn = loop.prepare(loop.healing(job) if heals else job, url)
    added = {key: value for key, value in turn.conf.items() if key not in task.conf}
    begun = Begun(task, turn, url, added, {**turn.directives.merged, **turn.directives.sizes}, heals)
    # Nothing is submitted yet.
    with if_ended(lambda: forget(begun)), failing_open(task.log, "tell of the decision"):
        stats.decided(turn, task.ti)
        _tell(task.log, turn_lines(turn), turn_details(turn))
    return begun


def take_up(earlier: loop.Turn, task: TaskSubmission, current: Settings, waited: float = 0.0) -> Begun:
    """Go on with the turn of the try that submitted the job to which this try reconnects, once its task has `waited` so many
    seconds."""
    submitted = f"the job that try {earlier.job.try_number} submitted"
    task.log.info("spark-tuner: continues %s: %s", submitted, printable(decision_summary(earlier.decision), 500))
    url, _ = _store_url(task, current, waited)
    return Begun(task, earlier, url, {}, is_submitted=True)


def submitted(task: TaskSubmission, current: Settings) -> list[Begun]:
    """The turns of jobs that an earlier try of the task instance submitted, or this one before it was deferred."""
    return _before(task, current, loop.submitted)


def outlived(task: TaskSubmission, current: Settings) -> list[Begun]:
    """The turns of jobs that may have outlived an earlier try: it submitted them and failed, and no log told how they ended."""
    return _before(task, current, loop.outlived)


def _before(task: TaskSubmission, current: Settings, found: Callable[..., list[loop.Turn]]) -> list[Begun]:
    url, asked = _store_url(task, current)
    now = job_of(task, current, asked)

    def job(run: Run) -> loop.JobToRun:
        return replace(now, cohort=run.cohort, key=run.key, try_number=run.try_number)

    def begun(turn: loop.Turn) -> Begun:
        of_it = replace(task, job_name=job_name_in(turn.job.key, task.ti))
        return Begun(of_it, turn, url, {}, is_submitted=True)

    return [begun(turn) for turn in found(origin_of(task.ti), job, url, now.most_seconds.before_run())]


def withdraw(*begun: Begun) -> None:
    """Record that jobs of a task were not submitted as it was decided."""
    if begun:
        loop.withdraw([one.turn for one in begun], begun[0].store_url)


def forget(*begun: Begun) -> None:
    """Take jobs of a task that were never submitted out of the history."""
    if begun:
        loop.forget([one.turn for one in begun], begun[0].store_url)


def catch_up(begun: Begun, most_seconds: MostSeconds) -> None:
    """Wait for the harvest of earlier runs, where it goes on, as long as for one of this job, which goes on without its task."""
    if begun.turn.catching_up:
        said = begun.turn.catching_up.finish(most_seconds)
        _tell(begun.task.log, lines_of(f"{begun.turn.job.cohort}: {line}" for line in said), [])


def end(begun: Begun, *, failed: bool | None, error: str = "") -> loop.Report | None:
    """Harvest the run and tell of it in the task log and an XCom. The job is over: a timeout now is not its own. None where it
    could not be told of.

    `error` is what the operator raised; whether the job failed is told by its log where `failed` is None.
    """
    ti, log = begun.task.ti, begun.task.log
    with failing_open(log, "harvest this run's event log", (AirflowTaskTimeout,)):
        with stats.timed("harvest", ti):
            report = loop.complete(begun.turn, begun.store_url, failed=failed, ending=ending_in(error))
        with failing_open(log, "push the XCom " + XCOM_KEY):
            if begun.task.pushes_xcom:
                name = begun.task.job_name
                ti.xcom_push(key=f"{XCOM_KEY}.{name}" if name else XCOM_KEY, value=report.as_json())
        stats.harvested(report, ti)
        _tell(log, report_lines(report), report_details(report))
        if begun.turn.decision.changes:
            log.info("spark-tuner: every change, with its evidence: %s", panel_url(ti))
        return report
    return None


def _store_url(task: TaskSubmission, current: Settings, waited: float = 0.0) -> tuple[str, float]:
    """The URL of the history store, and the seconds in which what is configured told it. Raises TimeoutError where these are more
    than are left of the task's time once it has `waited`."""
    conn_id = task.arguments.store_conn_id
    connection = BaseHook.get_connection(conn_id) if conn_id else None
    if not is_asked(os.environ, connection):
        return store_url(current, os.environ, connection), 0.0
    most = max(current.most_seconds.before_run() - waited, _LEAST_SECONDS)

    def late() -> str:
        raise TimeoutError(
            f"what tells [spark_tuner] sql_alchemy_conn, a command or a secrets backend, did not answer in {most:.3g} s; "
            "a task waits no longer (most_seconds_before)"
        )

    since = monotonic()
    url = within(most, lambda: store_url(current, os.environ), late)
    return url, monotonic() - since


def _tell(log: Any, lines: list[str], details: list[str]) -> None:
    for line in lines:
        log.info("%s", line)
    for line in details:
        log.debug("%s", line)
