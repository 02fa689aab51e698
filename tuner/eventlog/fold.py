"""Events to `Application`: a left fold, one event at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from tuner.eventlog import events as ev
from tuner.eventlog.model import Application, Completeness, Execution, Executors, PlanInfo, Problem, ProblemCode, Stage
from tuner.eventlog.properties import allowed, redact
from tuner.units import parse_bytes

_LOGICAL = "== Optimized Logical Plan =="
_DEFAULT_HEAP = "1g"  # spark.driver.memory and spark.executor.memory
_MAX_PARTITIONS = 1 << 24  # a larger partition number is damage, not a task


@dataclass(slots=True)
class _OpenStage:
    info: ev.StageInfo
    execution_id: int | None
    failed_tasks: int = 0
    totals: list[int] = field(default_factory=lambda: [0] * 11)


@dataclass(slots=True)
class _OpenExecution:
    start: ev.ExecutionStart
    logical_plan: str | None
    latest_replan: ev.RawAdaptiveUpdate | None = None
    previous_replan: ev.RawAdaptiveUpdate | None = None
    final_plan: PlanInfo | None = None
    end: ev.ExecutionEnd | None = None
    stage_ids: list[int] = field(default_factory=list)


class ApplicationFold:
    """Takes events in the log's order; `result` may be asked at any time, also of a log that breaks off."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._version = ""
        self._start: ev.ApplicationStart | None = None
        self._end_ms: int | None = None
        self._conf: dict[str, str] = {}
        self._alive: dict[str, int] = {}
        self._executors_seen = (0, 0)
        self._executions: dict[int, _OpenExecution] = {}
        self._stages: dict[tuple[int, int], _OpenStage] = {}
        self._execution_of_stage: dict[int, int] = {}
        self._counted: dict[int, bytearray] = {}
        self._accumulators: dict[int, int] = {}
        self._events = 0
        self._problems: list[Problem] = []
        self._handlers: dict[type[msgspec.Struct], Callable[..., None]] = {
            ev.LogStart: self._log_start,
            ev.ApplicationStart: self._application_start,
            ev.ApplicationEnd: self._application_end,
            ev.EnvironmentUpdate: self._environment,
            ev.ExecutorAdded: self._executor_added,
            ev.ExecutorRemoved: self._executor_removed,
            ev.JobStart: self._job_start,
            ev.StageSubmitted: self._stage_submitted,
            ev.StageCompleted: self._stage_completed,
            ev.TaskEnd: self._task_end,
            ev.ExecutionStart: self._execution_start,
            ev.ExecutionEnd: self._execution_end,
            ev.DriverAccumUpdates: self._driver_updates,
            ev.RawAdaptiveUpdate: self._adaptive_update,
            ev.AdaptiveUpdate: self._adaptive_update_decoded,
        }

    @property
    def events(self) -> int:
        """How many events were taken."""
        return self._events

    @property
    def started(self) -> bool:
        """Whether the application's start was among them."""
        return self._start is not None

    @property
    def ended(self) -> bool:
        """Whether the application's end was among them."""
        return self._end_ms is not None

    def add(self, event: msgspec.Struct) -> None:
        self._events += 1
        self._handlers[type(event)](event)

    def result(self, problems: tuple[Problem, ...]) -> Application:
        """The application so far. Partial unless it ended and nothing was lost on the way (`problems`)."""
        executions = tuple(self._execution(e) for e in self._executions.values())
        problems += tuple(self._problems)
        start = self._start
        if not self._events:
            status = Completeness.FAILED
        else:
            whole = self._end_ms is not None and start is not None and not problems
            status = Completeness.COMPLETE if whole else Completeness.PARTIAL
        return Application(
            app_id=(start.app_id if start else None) or self._conf.get("spark.app.id", ""),
            app_name=redact((start.app_name if start else "") or self._conf.get("spark.app.name", "")),
            attempt=start.attempt if start else None,
            spark_version=self._version,
            start_ms=start.timestamp if start else None,
            end_ms=self._end_ms,
            status=status,
            executors=self._executors(),
            conf=self._conf,
            executions=executions,
            stages=tuple(_stage(s) for _, s in sorted(self._stages.items())),
            accumulators=self._accumulators,
            problems=problems,
        )

    def _log_start(self, event: ev.LogStart) -> None:
        self._version = event.version

    def _application_start(self, event: ev.ApplicationStart) -> None:
        self._start = event

    def _application_end(self, event: ev.ApplicationEnd) -> None:
        self._end_ms = event.timestamp

    def _environment(self, event: ev.EnvironmentUpdate) -> None:
        self._conf.update(allowed(event.properties))

    def _executor_added(self, event: ev.ExecutorAdded) -> None:
        self._alive[event.executor_id] = event.info.cores
        count, cores = self._executors_seen
        self._executors_seen = (max(count, len(self._alive)), max(cores, event.info.cores))

    def _executor_removed(self, event: ev.ExecutorRemoved) -> None:
        self._alive.pop(event.executor_id, None)

    def _executors(self) -> Executors:
        count, cores = self._executors_seen
        local = self._conf.get("spark.master", "").startswith("local")
        heap = self._conf.get("spark.driver.memory" if local else "spark.executor.memory", _DEFAULT_HEAP)
        return Executors(cores=cores, memory_bytes=parse_bytes(heap, "m") or 0, count=count)

    def _job_start(self, event: ev.JobStart) -> None:
        execution = (event.properties or {}).get("spark.sql.execution.id")
        if execution is None or not str(execution).isdecimal():
            return
        for stage_id in event.stage_ids:
            # A later job that reuses a stage's shuffle lists the stage again, as skipped.
            self._execution_of_stage.setdefault(stage_id, int(execution))

    def _stage_submitted(self, event: ev.StageSubmitted) -> None:
        self._open_stage(event.info)

    def _stage_completed(self, event: ev.StageCompleted) -> None:
        self._open_stage(event.info).info = event.info

    def _open_stage(self, info: ev.StageInfo) -> _OpenStage:
        key = (info.stage_id, info.attempt)
        stage = self._stages.get(key)
        if stage is None:
            execution = self._execution_of_stage.get(info.stage_id)
            stage = self._stages[key] = _OpenStage(info, execution)
            if execution in self._executions and info.attempt == 0:
                self._executions[execution].stage_ids.append(info.stage_id)
        return stage

    def _task_end(self, event: ev.TaskEnd) -> None:
        stage = self._open_stage(ev.StageInfo(stage_id=event.stage_id, attempt=event.stage_attempt))
        success = event.end_reason.reason == "Success" and not event.info.failed
        stage.failed_tasks += event.info.failed
        if event.metrics is not None:
            _add_task(stage.totals, event.metrics)
        if success and self._first_success(event.stage_id, event.info):
            self._add_updates(event.info.accumulables)

    def _first_success(self, stage_id: int, info: ev.TaskInfo) -> bool:
        """Whether no other attempt of this task has counted: speculative copies and re-runs repeat its rows."""
        # A later attempt of the stage numbers its tasks anew; partitions keep theirs (logged since 3.3, SPARK-37831).
        number = info.partition if info.partition >= 0 else info.index
        if not 0 <= number < _MAX_PARTITIONS:
            return False
        counted = self._counted.setdefault(stage_id, bytearray())
        if number >= len(counted):
            counted.extend(bytes(number + 1 - len(counted)))
        first = not counted[number]
        counted[number] = 1
        return first

    def _add_updates(self, accumulables: list[ev.Accumulable]) -> None:
        totals = self._accumulators
        for accumulable in accumulables:
            if accumulable.metadata == "sql":
                value = _count(accumulable.update)
                if value > 0:
                    totals[accumulable.id] = totals.get(accumulable.id, 0) + value

    def _driver_updates(self, event: ev.DriverAccumUpdates) -> None:
        for accumulator, value in event.updates:
            if value >= 0:  # a size or timing metric that was never set is -1
                self._accumulators[accumulator] = self._accumulators.get(accumulator, 0) + value

    def _execution_start(self, event: ev.ExecutionStart) -> None:
        # The plan as text is long and repeats the plan: only its estimates are kept.
        execution = _OpenExecution(msgspec.structs.replace(event, plan_text=""), _logical_plan(event))
        self._executions[event.execution_id] = execution

    def _execution_end(self, event: ev.ExecutionEnd) -> None:
        if execution := self._executions.get(event.execution_id):
            execution.end = event
            self._settle_plan(execution)

    def _adaptive_update(self, event: ev.RawAdaptiveUpdate) -> None:
        if execution := self._executions.get(event.execution_id):
            execution.previous_replan, execution.latest_replan = execution.latest_replan, event

    def _adaptive_update_decoded(self, event: ev.AdaptiveUpdate) -> None:
        if execution := self._executions.get(event.execution_id):
            execution.latest_replan, execution.final_plan = None, event.plan

    def _settle_plan(self, execution: _OpenExecution) -> None:
        """Decode the last re-plan that can be, and let go of their bytes."""
        updates = execution.latest_replan, execution.previous_replan
        execution.latest_replan = execution.previous_replan = None
        for update in updates:
            if update is None:
                return
            try:
                execution.final_plan = update.decode().plan
            except ev.UNREADABLE as error:
                message = f"a plan of SQL execution {update.execution_id} cannot be read: {redact(str(error))}"
                self._problems.append(Problem(self._source, 0, ProblemCode.UNREADABLE_PLAN, message))
            else:
                return

    def _execution(self, execution: _OpenExecution) -> Execution:
        self._settle_plan(execution)
        start, end = execution.start, execution.end
        return Execution(
            execution_id=start.execution_id,
            root_execution_id=start.execution_id if start.root_execution_id is None else start.root_execution_id,
            description=redact(start.description),
            start_ms=start.time,
            end_ms=end.time if end else None,
            error=redact(end.error) if end and end.error else None,
            initial_plan=start.plan,
            final_plan=execution.final_plan,
            modified_conf=allowed(start.modified_configs),
            stage_ids=tuple(execution.stage_ids),
            logical_plan=execution.logical_plan,
        )


def _logical_plan(event: ev.ExecutionStart) -> str | None:
    text = event.plan_text
    if not text.startswith(_LOGICAL):
        return None
    return text[len(_LOGICAL) :].partition("\n== ")[0].strip("\n")


def _count(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return]
    except (TypeError, ValueError, OverflowError):
        return 0


def _add_task(totals: list[int], m: ev.TaskMetrics) -> None:
    read, write = m.shuffle_read, m.shuffle_write
    values = (
        m.run_time_ms,
        m.cpu_time_ns,
        m.input.bytes if m.input else 0,
        m.input.records if m.input else 0,
        read.remote_bytes + read.local_bytes if read else 0,
        read.records if read else 0,
        write.bytes if write else 0,
        write.records if write else 0,
        m.memory_spilled,
        m.disk_spilled,
        m.output.bytes if m.output else 0,
    )
    for i, value in enumerate(values):
        totals[i] += max(0, value)  # -1: never set


def _stage(stage: _OpenStage) -> Stage:
    info = stage.info
    return Stage(  # type: ignore[call-arg]
        info.stage_id,
        info.attempt,
        stage.execution_id,
        info.tasks,
        stage.failed_tasks,
        info.submitted_ms,
        info.completed_ms,
        redact(info.failure) if info.failure else None,
        *stage.totals,  # type: ignore[arg-type]
        frozenset(a.id for a in info.accumulables if a.metadata == "sql"),
    )
