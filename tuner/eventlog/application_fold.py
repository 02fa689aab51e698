"""Events to `Work` and `Application`: a left fold, one event at a time, that lets go of what has finished."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import msgspec

from tuner.eventlog import events as ev
from tuner.eventlog.agent_events import absorb_record, take_directives, take_loaded, take_steered
from tuner.eventlog.allocation import Allocation
from tuner.eventlog.chunks import CorruptDataError
from tuner.eventlog.databricks_tags import platform_run
from tuner.eventlog.failure_events import (
    absorb_failures,
    take_environment,
    take_execution,
    take_executor,
    take_job,
    take_stage,
    take_task,
)
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.open_bytes import open_bytes
from tuner.eventlog.open_groups import Group, OpenGroups
from tuner.eventlog.open_work import OpenAttempt, OpenExecution, OpenJob, OpenStage, place_of
from tuner.eventlog.properties import allowed
from tuner.eventlog.spark_totals import with_sums_alone
from tuner.eventlog.strongest_results import strongest_results
from tuner.eventlog.task_amounts import TOTALS, add_sql_updates, add_task, compare_task
from tuner.eventlog.told_application import MAX_ID, told_application
from tuner.eventlog.told_ids import ENDED, RESUBMITTED, STARTED
from tuner.model.application import Application, Execution, Problem, ProblemCode, Work
from tuner.model.platform_run import UNTOLD_PLATFORM, PlatformRun
from tuner.model.query_values import UNKNOWN_VALUES
from tuner.printable import printable

_LOGICAL = "== Optimized Logical Plan =="
# Where an execution was called for, of `isEmpty`; since Spark 4 (classic.Dataset) its plan shows that one row is taken.
_IS_EMPTY = "org.apache.spark.sql.Dataset.isEmpty("
_MAX_TEXT = 5000  # of texts of which `redact` looks at less
_EXECUTION_ID = re.compile(r"[0-9]{1,18}")
_RESUBMITTED = "Resubmitted"
_KILLED = ("TaskKilled", "TaskCommitDenied")  # what AppStatusListener counts as killed; the rest failed
# A longer event counts as several: what waits holds plans, which may take megabytes.
_BYTES_OF_AN_EVENT = 32 << 10
LONG_BYTES = 8 << 10  # from which on an event's bytes matter
_WEIGHED_BYTES = 2 << 20  # of long ones, from one look at what is open to the next
_MAX_STAGES = 100_000  # of a job
# No application of Spark's has a part of that open at once: beyond, a log is nothing but beginnings.
_MAX_OPEN_BYTES = 128 << 20
_MAX_HELD_BYTES = 256 << 20
# Of re-plans of executions that are open at once, as a busy server may have dozens: packed, they take a tenth, and time.
_MAX_RAW_BYTES = 64 << 20
_ENTRY_BYTES = 200
_WEIGHED_AT_A_LOOK = 5_000

Take = Callable[[Work], None]


class ApplicationFold:
    """Takes events in the log's order and hands `take` what has finished.

    With `piece`, the events are a stretch of a log whose beginning may lie elsewhere: `fragment` then holds what
    another fold, which takes in the stretches in order (`absorb`), needs to know. Of one that does lie elsewhere, `head`
    is what the log's first events tell.
    """

    def __init__(self, source: str, take: Take, *, piece: bool = False, head: Fragment | None = None) -> None:
        self._source = source
        self._take = take
        self._piece = piece
        self._head = head
        self.fragment = Fragment()
        self._allocation = Allocation()
        self._groups = OpenGroups(self.fragment, head or self.fragment, self._pass_on)
        self._ends_in_work = False
        self._line_bytes = 0
        self._held_bytes = 0
        self._unweighed = 0
        self._looks_to_skip = 0
        self._handlers: dict[type[msgspec.Struct], Callable[..., None]] = {
            ev.LogStart: self._log_start,
            ev.DatabricksLogStart: self._log_start_of_databricks,
            ev.ApplicationStart: self._application_start,
            ev.ApplicationEnd: self._application_end,
            ev.EnvironmentUpdate: self._environment,
            ev.ExecutorAdded: self._executor_added,
            ev.ExecutorRemoved: self._executor_removed,
            ev.BlockManagerAdded: self._block_manager_added,
            ev.JobStart: self._job_start,
            ev.JobEnd: self._job_end,
            ev.StageSubmitted: self._stage_submitted,
            ev.StageCompleted: self._stage_completed,
            ev.TaskStart: self._task_start,
            ev.TaskEnd: self._task_end,
            ev.StageExecutorMetrics: self._stage_peaks,
            ev.ExecutionStart: self._execution_start,
            ev.DeepExecutionStart: self._deep_execution_start,
            ev.ExecutionEnd: self._execution_end,
            ev.DriverAccumUpdates: self._driver_updates,
            ev.RawAdaptiveUpdate: self._adaptive_update,
            ev.AdaptiveUpdate: self._adaptive_update_decoded,
            ev.AgentLoaded: self._agent_loaded,
            ev.PlanSteered: self._plan_steered,
        }

    def add(self, event: msgspec.Struct) -> None:
        self.fragment.events += 1
        self._handlers[type(event)](event)
        if self._groups.due_at <= self.fragment.events:
            self._groups.release_ended()

    def add_long(self, event: msgspec.Struct, line_bytes: int) -> None:
        """Like `add`, of an event of LONG_BYTES or more. Raises CorruptDataError as `weigh` does."""
        self.fragment.events += line_bytes // _BYTES_OF_AN_EVENT
        self._line_bytes = line_bytes
        self.add(event)
        self._line_bytes = 0
        self._has_grown(line_bytes)

    def absorb(self, later: Fragment) -> None:
        """Take in the stretch of the log that follows, as another fold has left it."""
        here = self.fragment
        here.version = later.version or here.version
        if later.start:
            self._application_start(later.start)
        here.end_ms = here.end_ms if later.end_ms is None else later.end_ms
        here.of_databricks |= later.of_databricks
        self._tell_platform(later.platform)
        here.last_end_ms = max(here.last_end_ms, later.last_end_ms)
        here.conf.update(later.conf)
        here.driver_storage_bytes = later.driver_storage_bytes or here.driver_storage_bytes
        absorb_record(here, later.steering)
        for execution_id, said in later.steered.items():
            here.steer(execution_id, said, later.values[execution_id])
        self._absorb_tasks(later)
        for name, cores, at_ms in later.executor_changes:
            self._change_executor(name, cores, at_ms)
        self._absorb_work(later)
        for work in later.held:
            self._pass_on(work)
        absorb_failures(here, later)
        here.events += later.events
        here.lines = later.lines
        here.problems += later.problems
        here.unlisted_notes += later.unlisted_notes
        for code, message in later.notes:
            here.note(code, message)
        self._groups.release_ended()
        for execution_id, execution in later.executions.items():
            if execution.end is not None:
                self._groups.await_release(Group(True, execution_id))
        for job_id, job in later.jobs.items():
            if job.end is not None and here.jobs[job_id].execution_id is None:
                self._groups.await_release(Group(False, job_id))

    def _absorb_tasks(self, later: Fragment) -> None:
        here = self.fragment
        here.resources.absorb(later.resources)
        here.parallelism.absorb(later.parallelism)
        here.told_stages.absorb(later.told_stages)
        here.dropped_ends += later.dropped_ends
        here.dropping_stages += later.dropping_stages
        for what, told, again in (
            ("jobs", here.told_jobs, later.told_jobs),
            ("tasks", here.told_tasks, later.told_tasks),
        ):
            if told.absorb(again):
                message = f"{what} are told in several files of this log: they count in each"
                here.note(ProblemCode.MIXED_EVENTS, message)

    def _absorb_work(self, later: Fragment) -> None:
        here = self.fragment
        for execution_id, execution in later.executions.items():
            # What comes late to one that was handed on opens no other in its place.
            if execution.start or not here.is_handed_on(execution_id):
                self._absorb_execution(execution_id, execution)
        for stage_id, stage in later.stages.items():
            known = here.stages.get(stage_id, OpenStage()).attempts
            # What the later stretch began, jobs wait for that it may not know.
            for number in stage.attempts.keys() - known.keys():
                stage.attempts[number].job_ids = self._groups.waiting(stage_id) | stage.attempts[number].job_ids
        for job_id, job in later.jobs.items():
            if job.execution_id is not None and self._is_over(job.execution_id, job.submitted_ms):
                job.execution_id = None
            here.jobs.setdefault(job_id, OpenJob()).absorb(job)
            if job.started:
                self._groups.own_stages(job_id, job)
        for stage_id, stage in later.stages.items():
            here.stages.setdefault(stage_id, OpenStage()).absorb(stage)
            if stage.execution_id is not None and not here.is_handed_on(stage.execution_id):
                self._groups.own_stage_of_no_job(stage_id, stage.execution_id)
        here.absorb_handed_on(later)

    def weigh_in_time(self) -> None:
        """As `weigh`, but the more seldom the more was open: it takes its time."""
        self._looks_to_skip -= 1
        if self._looks_to_skip < 0:
            self.weigh()

    def _has_grown(self, more_bytes: int) -> None:
        """Weighs where much has come since it last was. Raises as `weigh`."""
        self._unweighed += more_bytes
        if self._unweighed > _WEIGHED_BYTES:
            self.weigh()

    def weigh(self) -> None:
        """Raises CorruptDataError where more is open than memory is meant for."""
        here = self.fragment
        if sum(execution.replan_bytes(packed=False) for execution in here.executions.values()) > _MAX_RAW_BYTES:
            for execution in here.executions.values():
                execution.pack()
        self._unweighed = 0
        open_ = len(here.stages) + len(here.jobs) + len(here.executions) + len(here.resources.heaps)
        self._looks_to_skip = open_ // _WEIGHED_AT_A_LOOK
        entries = self._groups.entries + self._allocation.alive
        if open_bytes(here) + entries * _ENTRY_BYTES > _MAX_OPEN_BYTES:
            raise CorruptDataError("too much of what began in it has not ended")

    def close(self) -> None:
        """Hand on all that is still open, of a log that ends here."""
        here = self.fragment
        ends = (*(e.end for e in here.executions.values()), *(job.end for job in here.jobs.values()))
        self._ends_in_work = None in ends
        self._groups.release_all()

    @property
    def work_ended_ms(self) -> int | None:
        """As that of an Application, of a log that reads well."""
        here = self.fragment
        ceased = here.of_databricks and here.start and here.end_ms is None and not self._ends_in_work
        return here.last_end_ms if ceased and here.last_end_ms else None

    def application(self, problems: Iterable[Problem]) -> Application:
        """The application as the events taken tell it, without the work handed on."""
        return told_application(self._source, self.fragment, self._allocation, problems)

    def _log_start(self, event: ev.LogStart) -> None:
        self.fragment.version = event.version

    def _log_start_of_databricks(self, event: ev.DatabricksLogStart) -> None:
        self._log_start(event)
        self.fragment.of_databricks = True

    def _application_start(self, event: ev.ApplicationStart) -> None:
        first = self.fragment.start = self.fragment.start or event
        if (first.app_id, first.attempt) != (event.app_id, event.attempt):
            message = "another application starts in this log: its events cannot be told apart"
            self.fragment.note(ProblemCode.MIXED_EVENTS, message)
            for told in (self.fragment.told_tasks, self.fragment.told_jobs, self.fragment.told_stages):
                told.forget()

    def _application_end(self, event: ev.ApplicationEnd) -> None:
        self.fragment.end_ms = event.timestamp

    def _environment(self, event: ev.EnvironmentUpdate) -> None:
        self.fragment.conf.update(allowed(event.properties))
        take_environment(self.fragment, event.properties)
        take_directives(self.fragment, event.properties)
        self._tell_platform(platform_run(event.properties))

    def _tell_platform(self, told: PlatformRun) -> None:
        if told != UNTOLD_PLATFORM:
            self.fragment.platform = told

    def _agent_loaded(self, event: ev.AgentLoaded) -> None:
        take_loaded(self.fragment, event)

    def _plan_steered(self, event: ev.PlanSteered) -> None:
        take_steered(self.fragment, event)

    def _executor_added(self, event: ev.ExecutorAdded) -> None:
        self._change_executor(event.executor_id, event.info.cores, event.timestamp)

    def _executor_removed(self, event: ev.ExecutorRemoved) -> None:
        self._change_executor(event.executor_id, None, event.timestamp)
        take_executor(self.fragment, event)

    def _block_manager_added(self, event: ev.BlockManagerAdded) -> None:
        if event.is_of_driver:
            self.fragment.driver_storage_bytes = event.on_heap or 0

    def _change_executor(self, name: str, cores: int | None, at_ms: int) -> None:
        if self._piece:
            self.fragment.executor_changes.append((name, cores, at_ms))
            return
        self._allocation.change(name, cores, at_ms)
        if cores is None:
            self.fragment.resources.remove(name)

    def _job_start(self, event: ev.JobStart) -> None:
        if max(len(event.stage_ids), len(event.stages or ())) > _MAX_STAGES:
            message = f"a job of more than {_MAX_STAGES} stages is left out"
            self.fragment.note(ProblemCode.CORRUPT_DATA, message)
            return
        if not self.fragment.told_jobs.is_first(event.job_id, STARTED) and event.job_id not in self.fragment.jobs:
            self._note_again(f"job {event.job_id}")
            return
        execution_id = self._execution_id(event.properties, event.submitted_ms)
        stage_ids = list(dict.fromkeys(event.stage_ids))
        job = OpenJob(execution_id, stage_ids, event.stages or [], started=True, submitted_ms=event.submitted_ms)
        known = self.fragment.jobs.setdefault(event.job_id, OpenJob())
        if not known.started:
            known.absorb(job)
            self._groups.own_stages(event.job_id, job)

    def _execution_id(self, properties: ev.JobProperties | None, at_ms: int | None) -> int | None:
        """The execution that a job or a stage is of, which was submitted then."""
        found = str(properties.execution_id) if properties else ""
        execution_id = int(found) if _EXECUTION_ID.fullmatch(found) else None
        # A thread keeps the id of the execution that it was made in, however long it runs (SparkContext.localProperties).
        return None if execution_id is None or self._is_over(execution_id, at_ms) else execution_id

    def _is_over(self, execution_id: int, at_ms: int | None) -> bool:
        """Whether an execution had ended by then: its end may be told before the beginning of its jobs."""
        execution = self.fragment.executions.get(execution_id)
        if execution is None or execution.end is None:
            return self.fragment.is_handed_on(execution_id)
        return at_ms is not None and 0 < execution.end.time < at_ms

    def _job_end(self, event: ev.JobEnd) -> None:
        job = self.fragment.jobs.get(event.job_id)
        take_job(self.fragment, event, job.execution_id if job else None)
        self._worked_until(event.completed_ms)
        if job is None and self._piece:
            job = self.fragment.jobs[event.job_id] = OpenJob()
        if job is not None:
            job.end = event
            if job.execution_id is None:
                self._groups.await_release(Group(False, event.job_id))

    def _is_told(self, info: ev.StageInfo) -> bool:
        """Whether an attempt at a stage was handed on; others may follow it, for jobs that wait for the stage as well."""
        here, id_ = self.fragment, info.stage_id
        return info.attempt == 0 and id_ not in here.stages and here.told_stages.is_told(id_, ENDED)

    def _stage_submitted(self, event: ev.StageSubmitted) -> None:
        if self._is_told(event.info):
            return
        self._attempt(event.info, begins=True)
        stage = self.fragment.stages[event.info.stage_id]
        stage.begun |= event.info.attempt == 0
        stage.execution_id = self._execution_id(event.properties, event.info.submitted_ms)
        if stage.execution_id is not None:
            self._groups.own_stage_of_no_job(event.info.stage_id, stage.execution_id)

    def _stage_completed(self, event: ev.StageCompleted) -> None:
        if self._is_told(event.info):
            return
        self._attempt(event.info).info = with_sums_alone(event.info)
        self.fragment.resources.caches |= event.info.caches
        self.fragment.resources.keeps_state |= event.info.keeps_state
        self.fragment.resources.has_barriers |= event.info.is_barrier
        self.fragment.resources.has_profiles |= event.info.profile > 0
        take_stage(self.fragment, event.info)

    def _attempt(self, info: ev.StageInfo, *, begins: bool = False) -> OpenAttempt:
        stage = self._stage(info.stage_id)
        attempt = stage.attempts.get(info.attempt)
        if attempt is None:
            # Of an attempt that began in an earlier stretch of the log, those that waited are not known here.
            waiting = self._groups.waiting(info.stage_id) if begins or not self._piece else {}
            attempt = stage.attempts[info.attempt] = OpenAttempt(info, [0] * TOTALS, waiting)
            self._has_grown(len(waiting) * _ENTRY_BYTES)
        return attempt

    def _stage(self, stage_id: int) -> OpenStage:
        stage = self.fragment.stages.get(stage_id)
        if stage is None:
            stage = self.fragment.stages[stage_id] = OpenStage()
        return stage

    def _task_start(self, event: ev.TaskStart) -> None:
        if self.fragment.told_tasks.is_first(event.info.task_id, STARTED):
            self._stage(event.stage_id).running += 1
            self.fragment.parallelism.change(1, event.info.launched_ms)

    def _task_end(self, event: ev.TaskEnd) -> None:
        here, info, reason = self.fragment, event.info, event.end_reason.reason
        is_lost = reason == _RESUBMITTED and info.task_id >= 0
        if not here.told_tasks.is_first(info.task_id, RESUBMITTED if is_lost else ENDED):
            return
        stage = self._stage(event.stage_id)
        attempt = stage.attempts.get(event.stage_attempt)
        if attempt is None:
            attempt = self._attempt(ev.StageInfo(stage_id=event.stage_id, attempt=event.stage_attempt))
        if not is_lost:
            stage.running -= 1
            here.parallelism.change(-1, info.finished_ms)
        here.resources.take_task(event)
        if event.metrics is not None:
            add_task(attempt.totals, event.metrics)
        if reason == "Success":
            self._task_succeeded(event, stage, attempt)
        else:
            attempt.killed_tasks += reason in _KILLED
            attempt.failed_tasks += reason not in _KILLED
            take_task(here, event)

    def _task_succeeded(self, event: ev.TaskEnd, stage: OpenStage, attempt: OpenAttempt) -> None:
        info = event.info
        attempt.completed_tasks += 1
        if event.metrics is not None:
            compare_task(attempt, event.metrics)
        # A later attempt of the stage numbers its tasks anew; partitions keep theirs (logged since 3.3, SPARK-37831).
        place = info.partition if info.partition >= 0 else place_of(info.index, event.stage_attempt)
        if not info.failed and stage.counts(place):
            updates = stage.updates
            if self._piece and not stage.begun and stage.stays_apart(place):
                updates = stage.by_partition[place] = {}
            add_sql_updates(updates, info.accumulables)

    def _stage_peaks(self, event: ev.StageExecutorMetrics) -> None:
        if event.peaks is not None:
            self.fragment.resources.take_peaks(event.executor_id, event.peaks)

    def _driver_updates(self, event: ev.DriverAccumUpdates) -> None:
        totals = self._execution(event.execution_id).driver_updates
        for accumulator, value in event.updates:  # one several times, such as for each partition
            if value >= 0:  # a metric that was never set is -1
                totals[accumulator] = totals.get(accumulator, 0) + value

    def _execution(self, execution_id: int) -> OpenExecution:
        execution = self.fragment.executions.get(execution_id)
        if execution is None:
            execution = OpenExecution()
            # Of a whole log, nothing is to be kept of an execution that has not started; nor of one that was handed on.
            if self._piece and not self.fragment.is_handed_on(execution_id):
                self.fragment.executions[execution_id] = execution
        return execution

    def _execution_start(self, event: ev.ExecutionStart) -> None:
        # The plan as text is long and repeats the plan: only its estimates are kept. Of the place of the call nothing is.
        description = _kept(event.description or "")
        start = msgspec.structs.replace(event, plan_text="", description=description, details="")
        asks_if_empty = (event.details or "").startswith(_IS_EMPTY)
        logical_plan = _logical_plan(event)
        kept_bytes = max(0, self._line_bytes - len(event.plan_text or "") + len(logical_plan or ""))
        opened = OpenExecution(start, logical_plan, asks_if_empty, start_bytes=kept_bytes)
        self._absorb_execution(event.execution_id, opened)

    def _deep_execution_start(self, event: ev.DeepExecutionStart) -> None:
        message = f"the plan of SQL execution {event.execution_id} is nested too deeply to be read"
        self.fragment.note(ProblemCode.DEEP_PLAN, message)
        self._execution_start(event)

    def _absorb_execution(self, execution_id: int, later: OpenExecution) -> None:
        if self.fragment.is_handed_on(execution_id):
            self._note_again(f"SQL execution {execution_id}")
            return
        execution = self.fragment.executions.setdefault(execution_id, OpenExecution())
        if execution.start and later.start:
            self._note_again(f"SQL execution {execution_id}")
        execution.absorb(later)

    def _note_again(self, what: str) -> None:
        self.fragment.note(ProblemCode.MIXED_EVENTS, f"{what} starts twice: the second is lost")

    def _execution_end(self, event: ev.ExecutionEnd) -> None:
        take_execution(self.fragment, event)
        self._worked_until(event.time)
        error = event.error and _kept(event.error)
        self._execution(event.execution_id).end = msgspec.structs.replace(event, error=error)
        self._groups.await_release(Group(True, event.execution_id))

    def _worked_until(self, ms: int | None) -> None:
        self.fragment.last_end_ms = max(self.fragment.last_end_ms, ms or 0)

    def _adaptive_update(self, event: ev.RawAdaptiveUpdate) -> None:
        self._execution(event.execution_id).replan(event)

    def _adaptive_update_decoded(self, event: ev.AdaptiveUpdate) -> None:
        self._execution(event.execution_id).absorb(OpenExecution(final_plan=event.plan))

    def _pass_on(self, work: Work, plan_bytes: int = 0) -> None:
        """Hand on what has finished with what is known of its application, or hold it where that is not all yet."""
        here, head = self.fragment, self._head or self.fragment
        execution = work.execution and self._with_said(work.execution)
        is_directed = head.steering.is_directed or here.steering.loaded
        if execution and self._head and is_directed and self._held_bytes < _MAX_HELD_BYTES:
            self._held_bytes += plan_bytes
            here.held.append(Work(execution, work.jobs, work.stages))
            return
        version = printable(here.version or head.version, MAX_ID)
        self._take(Work(execution, work.jobs, work.stages, here.conf or head.conf, version, here.steering))

    def _with_said(self, execution: Execution) -> Execution:
        """The execution with what the agent said of it in this stretch of the log, before what it said later."""
        said = self.fragment.steered.pop(execution.execution_id, ())
        values = self.fragment.values.pop(execution.execution_id, UNKNOWN_VALUES)
        if not said and values == UNKNOWN_VALUES:
            return execution
        later = execution.values
        return replace(
            execution,
            steered=strongest_results((*said, *execution.steered)),
            values=values if later == UNKNOWN_VALUES else later,
        )


def _kept(text: str) -> str:
    """Of a text, more than `redact` looks at, which begins where it is not blank."""
    return (text.lstrip() or text)[:_MAX_TEXT]


def _logical_plan(event: ev.ExecutionStart) -> str | None:
    text = event.plan_text or ""
    if not text.startswith(_LOGICAL):
        return None
    return text[len(_LOGICAL) :].partition("\n== ")[0].strip("\n")
