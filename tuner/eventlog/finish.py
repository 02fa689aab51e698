"""What was open, finished: the immutable facts that leave the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tuner.eventlog import events as ev
from tuner.eventlog.dbt_node import dbt_node
from tuner.eventlog.open_work import OpenAttempt, OpenExecution, OpenJob, OpenStage, add_updates
from tuner.eventlog.properties import allowed, redact
from tuner.eventlog.stopped_streams import is_of_stopped_stream
from tuner.model.application import Execution, Job, JobStatus, PlanInfo, ProblemCode, Stage

Note = Callable[[ProblemCode, str], None]


def finish_execution(
    execution: OpenExecution,
    stages: dict[int, OpenStage],
    jobs: Sequence[Job],
    note: Note,
) -> Execution | None:
    """A SQL execution with the metrics of its stages; None where its start is not in the log."""
    start, end = execution.start, execution.end
    if start is None:
        return None
    accumulators = dict(execution.driver_updates)
    for stage in stages.values():
        # A stage that begins with a later attempt runs again what another stage, of the same shuffle, has counted: AQE
        # gives each job stages of its own.
        if 0 in stage.attempts:
            add_updates(accumulators, stage.updates)
    initial_plan, final_plan = _plans(start, execution, note)
    return Execution(
        execution_id=start.execution_id,
        root_execution_id=start.execution_id if start.root_execution_id is None else start.root_execution_id,
        description=_description(start.description or ""),
        start_ms=start.time,
        end_ms=end.time if end else None,
        error=_error(end, jobs),
        initial_plan=initial_plan,
        final_plan=final_plan,
        modified_conf=allowed(start.modified_configs or {}),
        stage_ids=tuple(stage_id for stage_id, stage in stages.items() if stage.attempts),
        logical_plan=execution.logical_plan,
        asks_if_empty=execution.asks_if_empty,
        accumulators=accumulators,
        stopped=_is_stopped(start, end, jobs),
    )


def _description(told: str) -> str:
    """What dbt runs a statement for tells it from others, night after night: its tests all begin with the same SQL."""
    return redact(dbt_node(told) or told)


def _is_stopped(start: ev.ExecutionStart, end: ev.ExecutionEnd | None, jobs: Sequence[Job]) -> bool:
    errors = (end.error if end else None, *(job.failure for job in jobs))
    return is_of_stopped_stream(start.description or "", filter(None, errors))


def _error(end: ev.ExecutionEnd | None, jobs: Sequence[Job]) -> str | None:
    if end is None or end.error is not None:
        return redact(end.error) if end and end.error else None
    # Before 3.4 the end of an execution did not tell how it ended (SPARK-40834).
    failed = [job.failure for job in jobs if job.status is JobStatus.FAILED]
    return (failed[-1] or "a job failed") if failed else None


def _plans(start: ev.ExecutionStart, execution: OpenExecution, note: Note) -> tuple[PlanInfo | None, PlanInfo | None]:
    """The plan before AQE, and AQE's last; neither where that is nested too deeply: another did not count what this one did."""
    try:
        return start.plan, _final_plan(execution, note)
    except RecursionError:
        note(ProblemCode.DEEP_PLAN, f"a plan of SQL execution {start.execution_id} is nested too deeply to be read")
        return None, None


def _final_plan(execution: OpenExecution, note: Note) -> PlanInfo | None:
    """The last re-plan that can be decoded; those after it are noted."""
    for update in (execution.latest_replan, execution.previous_replan):
        if update is None:
            break
        try:
            return update.decode().plan
        except RecursionError:
            raise
        except ev.UNREADABLE as error:
            message = f"a plan of SQL execution {update.execution_id} cannot be read: {redact(str(error))}"
            note(ProblemCode.UNREADABLE_PLAN, message)
    return execution.final_plan


def finish_job(job_id: int, job: OpenJob) -> Job:
    end = job.end
    if end is None:
        status = JobStatus.UNFINISHED
    else:
        status = JobStatus.SUCCEEDED if end.result.result == "JobSucceeded" else JobStatus.FAILED
    exception = end.result.exception if end else None
    return Job(
        job_id=job_id,
        execution_id=job.execution_id,
        stage_ids=tuple(job.stage_ids),
        tasks=sum(stage.tasks for stage in job.stages if stage.completed_ms is None),
        completed_tasks=job.completed_tasks,
        failed_tasks=job.failed_tasks,
        killed_tasks=job.killed_tasks,
        skipped_tasks=sum(s.tasks for s in job.stages if end and (s.stage_id, s.attempt) not in job.ran),
        submitted_ms=job.submitted_ms,
        completed_ms=end.completed_ms if end else None,
        status=status,
        failure=redact(exception.message) if exception and exception.message else None,
    )


def finish_stage(stage: OpenStage, attempt: OpenAttempt, execution_id: int | None) -> Stage:
    """One attempt of a stage, with the SQL metrics that its tasks updated: those of all attempts where no end tells them."""
    info = attempt.info
    told = (a.id for a in info.accumulables if a.metadata == "sql")
    updated = frozenset(stage.updates if info.completed_ms is None else told)
    return Stage(  # type: ignore[call-arg]
        info.stage_id,
        info.attempt,
        execution_id,
        info.tasks,
        attempt.completed_tasks,
        attempt.failed_tasks,
        attempt.killed_tasks,
        info.submitted_ms,
        info.completed_ms,
        redact(info.failure) if info.failure else None,
        *attempt.totals,  # type: ignore[arg-type]
        updated,
        tuple(attempt.job_ids),
        *attempt.longest,
        attempt.most_written,
        attempt.untold_tasks,
        updated if stage.counts_twice else attempt.partial_ids,
    )
