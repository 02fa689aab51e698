"""What failed in an application, taken from its events into a stretch of a log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.eventlog import events as ev
from tuner.eventlog.failure_rules import (
    LOOKED_AT,
    MEMORY_ERROR,
    is_by_sigkill,
    is_of_direct_memory,
    is_of_python_memory,
    recognise,
)
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.root_cause import root_cause
from tuner.model.failure import OF_EXECUTOR_MEMORY, FailureKind, LoggedFailure
from tuner.printable import printable
from tuner.spark.knobs import PYSPARK_MEMORY
from tuner.spark.properties import EXECUTOR_JAVA_OPTIONS
from tuner.spark.settings import Settings

# What an application came to is told by its last failures.
_MAX_FAILURES = 20
_MAX_WHERE = 80
# Tasks of so many stages are known to have failed.
_MAX_STAGES = 100
_UNEXPLAINED = LoggedFailure(FailureKind.UNKNOWN, "", "")
_OF_PYTHON = FailureKind.PYTHON_OUT_OF_MEMORY
_PYTHON_WORDS = f"a Python worker needed more memory than it may have ({PYSPARK_MEMORY.property})"
# What a worker's own error is, and what wraps it.
_OF_PYTHON_ERROR = frozenset({FailureKind.DATA_OR_CODE, FailureKind.UNKNOWN})
# TaskEndReason.ExecutorLostFailure.
_LOST_EXECUTOR = re.compile(r"ExecutorLostFailure \(executor (\w{1,40})[ )]")
# Amazon EMR has it among its defaults.
_KILLS_ITSELF = re.compile(r"-XX:OnOutOfMemoryError=\W{0,3}kill -(?:9|KILL|SIGKILL) %p")
# Of all direct memory, and of Netty's; 0 is none.
_LIMITS_DIRECT = re.compile(r"-XX:MaxDirectMemorySize=[1-9]|-Dio\.netty\.maxDirectMemory=[1-9]")
_OF_SIGKILL = frozenset({FailureKind.EXECUTOR_OVER_LIMIT, FailureKind.EXECUTOR_LOST})


def take_environment(fragment: Fragment, properties: Mapping[str, object]) -> None:
    """Keep whether executors end themselves by SIGKILL where their heap is full, which tells nobody, and whether the job limits
    their direct memory, which is then no larger with a larger heap."""
    options = [text for name in EXECUTOR_JAVA_OPTIONS if isinstance(text := properties.get(name), str)]
    fragment.kills_itself |= any(_KILLS_ITSELF.search(text) for text in options)
    fragment.limits_direct |= any(_LIMITS_DIRECT.search(text) for text in options)


def told_failures(fragment: Fragment) -> tuple[list[LoggedFailure], list[LoggedFailure]]:
    """The executors that were lost, and the work that failed, as all events of a log tell of them."""
    lost, failed = fragment.losses, fragment.failures
    if Settings(fragment.conf)[PYSPARK_MEMORY]:
        failed = [_of_python_limit(one) for one in failed]
    if fragment.kills_itself:
        lost, failed = ([_of_heap(one) for one in several] for several in (lost, failed))
    if fragment.limits_direct:
        failed = [_of_direct_limit(one) for one in failed]
    return lost, failed


def _of_python_limit(failed: LoggedFailure) -> LoggedFailure:
    """Without a limit of Spark's such an error is the job's own, or its machine's."""
    if not failed.of_python_memory or failed.kind not in _OF_PYTHON_ERROR:
        return failed
    return replace(failed, kind=_OF_PYTHON, words=_PYTHON_WORDS)


def _of_heap(failed: LoggedFailure) -> LoggedFailure:
    if not failed.by_sigkill or failed.kind not in _OF_SIGKILL:
        return failed
    words = "an executor killed itself, as it does where its heap is full"
    return replace(failed, kind=FailureKind.EXECUTOR_OUT_OF_MEMORY, words=words)


def _of_direct_limit(failed: LoggedFailure) -> LoggedFailure:
    if not failed.of_direct_memory:
        return failed
    words = "an executor's direct memory was full, which the job's Java options limit"
    return replace(failed, kind=FailureKind.UNKNOWN, words=words)


def take_execution(fragment: Fragment, event: ev.ExecutionEnd) -> None:
    """Keep why a SQL execution failed, if it did (logged since 3.4, SPARK-40834)."""
    if event.error:
        _keep(fragment.failures, event.error, f"SQL execution {event.execution_id}", execution_id=event.execution_id)


def take_job(fragment: Fragment, event: ev.JobEnd, execution_id: int | None) -> None:
    """Keep why a job failed, if it did."""
    if event.result.exception is not None and event.result.exception.message:
        text = event.result.exception.message
        _keep(fragment.failures, text, f"job {event.job_id}", execution_id=execution_id, job_id=event.job_id)
        failed = _explained(fragment.failures[-1], fragment, fragment.died_tasks)
        fragment.failures[-1] = _placed(failed, fragment, fragment.failed_stages)


def take_task(fragment: Fragment, event: ev.TaskEnd) -> None:
    """Keep of a stage whether its last task that failed did for memory: of an error with a condition, a job's end tells the
    outermost message alone, without causes (DAGScheduler.abortStage since 4.0)."""
    stack = event.end_reason.stack
    if not isinstance(stack, str):
        return
    # A log may tell of thousands.
    is_of_memory = MEMORY_ERROR in stack
    fragment.died_tasks[event.stage_id] = _task_death(f"Lost task {stack}") if is_of_memory else _UNEXPLAINED
    if len(fragment.died_tasks) > _MAX_STAGES:
        del fragment.died_tasks[next(iter(fragment.died_tasks))]


def take_stage(fragment: Fragment, info: ev.StageInfo) -> None:
    """Keep of a stage whether its last attempt failed, and in whose executors."""
    if info.failure is None and not info.attempt:
        return
    fragment.failed_stages[info.stage_id] = None if info.failure is None else info.profile > 0
    if len(fragment.failed_stages) > _MAX_STAGES:
        del fragment.failed_stages[next(iter(fragment.failed_stages))]


def _task_death(text: str) -> LoggedFailure:
    kind, words = recognise(text)
    if kind in _OF_PYTHON_ERROR and is_of_python_memory(text):
        return LoggedFailure(_OF_PYTHON, _PYTHON_WORDS, "")
    return LoggedFailure(kind, words, "", of_direct_memory=_is_of_direct_memory(kind, text))


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
        failed = _explained(failed, here, {**here.died_tasks, **later.died_tasks})
        _add(here.failures, _placed(failed, here, {**here.failed_stages, **later.failed_stages}))
    here.died_tasks.update(later.died_tasks)
    here.failed_stages.update(later.failed_stages)
    here.kills_itself |= later.kills_itself
    here.limits_direct |= later.limits_direct
    for lost in later.losses:
        _add(here.losses, lost)


def _explained(failed: LoggedFailure, fragment: Fragment, died_tasks: Mapping[int, LoggedFailure]) -> LoggedFailure:
    """Of a job that does not say why it failed, what its tasks died of, where that was memory."""
    job = fragment.jobs.get(failed.job_id) if failed.job_id is not None else None
    if job is None or failed.kind is not FailureKind.UNKNOWN:
        return failed
    died = [died_tasks[stage] for stage in job.stage_ids if stage in died_tasks]
    of_memory = [one for one in died if one.kind in OF_EXECUTOR_MEMORY or one.kind is _OF_PYTHON]
    if not of_memory:
        return failed
    last = of_memory[-1]
    if last.kind is _OF_PYTHON:
        return replace(failed, of_python_memory=True)
    return replace(failed, kind=last.kind, words=last.words, of_direct_memory=last.of_direct_memory)


def _placed(failed: LoggedFailure, fragment: Fragment, failed_stages: Mapping[int, bool | None]) -> LoggedFailure:
    """Of a job whether it failed in executors that its stages asked for themselves. What runs beside them fails with them: of
    such a job it is not known."""
    job = fragment.jobs.get(failed.job_id) if failed.job_id is not None else None
    if job is None:
        return failed
    own = {failed_stages.get(stage_id) for stage_id in job.stage_ids} - {None}
    return replace(failed, in_profile=own == {True})


def failed_in_profile(failures: Sequence[LoggedFailure]) -> bool:
    """Whether the job that failed an application did so in executors that its stages asked for themselves."""
    cause = root_cause(failures)
    if cause is None:
        return False
    job = root_cause([f for f in failures if f.job_id is not None and _is_same_work(f, cause)])
    return job is not None and job.in_profile


def _is_same_work(failed: LoggedFailure, cause: LoggedFailure) -> bool:
    if cause.execution_id is None:
        return failed.job_id == cause.job_id
    return failed.execution_id == cause.execution_id


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
    by_sigkill = kind in _OF_SIGKILL and is_by_sigkill(text)
    of_python = kind in _OF_PYTHON_ERROR and is_of_python_memory(text)
    where, of_direct = printable(where, _MAX_WHERE), _is_of_direct_memory(kind, text)
    _add(kept, LoggedFailure(kind, words, where, execution_id, job_id, lost_executor, by_sigkill, of_python, of_direct))


def _is_of_direct_memory(kind: FailureKind, text: str) -> bool:
    return kind is FailureKind.EXECUTOR_OUT_OF_MEMORY and is_of_direct_memory(text)


def _add(kept: list[LoggedFailure], failed: LoggedFailure) -> None:
    kept.append(failed)
    if len(kept) > _MAX_FAILURES:
        del kept[0]
