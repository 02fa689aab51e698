"""What failed in an application, taken from its events into a stretch of a log."""

from __future__ import annotations

import re
from dataclasses import replace

from tuner.eventlog import events as ev
from tuner.eventlog.failure_rules import LOOKED_AT, recognise
from tuner.eventlog.fragment import Fragment
from tuner.model.failure import FailureKind, LoggedFailure
from tuner.printable import printable

# What an application came to is told by its last failures.
_MAX_FAILURES = 20
_MAX_WHERE = 80
# TaskEndReason.ExecutorLostFailure.
_LOST_EXECUTOR = re.compile(r"ExecutorLostFailure \(executor (\w{1,40})[ )]")


def take_execution(fragment: Fragment, event: ev.ExecutionEnd) -> None:
    """Keep why a SQL execution failed, if it did (logged since 3.4, SPARK-40834)."""
    if event.error:
        _keep(fragment.failures, event.error, f"SQL execution {event.execution_id}", execution_id=event.execution_id)


def take_job(fragment: Fragment, event: ev.JobEnd, execution_id: int | None) -> None:
    """Keep why a job failed, if it did."""
    if event.result.exception is not None and event.result.exception.message:
        text = event.result.exception.message
        _keep(fragment.failures, text, f"job {event.job_id}", execution_id=execution_id, job_id=event.job_id)


def take_executor(fragment: Fragment, event: ev.ExecutorRemoved) -> None:
    """Keep why an executor is gone, unless it was idle and given back."""
    if isinstance(event.reason, str) and recognise(event.reason)[0] is not FailureKind.UNKNOWN:
        id_ = event.executor_id
        _keep(fragment.losses, event.reason, f"executor {id_}", lost_executor=id_)


def absorb_failures(here: Fragment, later: Fragment) -> None:
    """Take in those of the stretch that follows; a job may have begun here. Its jobs are to be known here already."""
    for failed in later.failures:
        if failed.job_id is not None and failed.execution_id is None and (job := here.jobs.get(failed.job_id)):
            failed = replace(failed, execution_id=job.execution_id)
        _add(here.failures, failed)
    for lost in later.losses:
        _add(here.losses, lost)


def _keep(
    kept: list[LoggedFailure],
    text: str,
    where: str,
    *,
    execution_id: int | None = None,
    job_id: int | None = None,
    lost_executor: str = "",
) -> None:
    kind, words = recognise(text)
    if not lost_executor and (named := _LOST_EXECUTOR.search(text[:LOOKED_AT])):
        lost_executor = named[1]
    _add(kept, LoggedFailure(kind, words, printable(where, _MAX_WHERE), execution_id, job_id, lost_executor))


def _add(kept: list[LoggedFailure], failed: LoggedFailure) -> None:
    kept.append(failed)
    if len(kept) > _MAX_FAILURES:
        del kept[0]
