"""What `eventlog` hands on: one application as its event log tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import msgspec

from tuner.model.agent_record import UNSTEERED, AgentRecord
from tuner.model.directive_result import DirectiveResult
from tuner.model.failure import LoggedFailure
from tuner.model.platform_run import UNTOLD_PLATFORM, PlatformRun
from tuner.model.query_values import UNKNOWN_VALUES, QueryValues
from tuner.model.resource_use import UNKNOWN_USE, ResourceUse

# A Java long: a number beyond it is damage. (As an int it would not fit into a database's column.)
Long = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class Completeness(StrEnum):
    """complete: the application ended and every line was read. failed: no application could be read."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"


class ProblemCode(StrEnum):
    UNREADABLE_FILE = "unreadable_file"
    UNSUPPORTED_CODEC = "unsupported_codec"
    CORRUPT_DATA = "corrupt_data"
    TRUNCATED = "truncated"
    BAD_LINE = "bad_line"
    NO_EVENTS = "no_events"
    MISSING_FILE = "missing_file"
    COMPACTED = "compacted"
    MIXED_EVENTS = "mixed_events"
    MORE_PROBLEMS = "more_problems"
    UNREADABLE_PLAN = "unreadable_plan"
    UNREADABLE_DIRECTIVES = "unreadable_directives"
    DEEP_PLAN = "deep_plan"
    DROPPED_EVENTS = "dropped_events"

    @property
    def loses_events(self) -> bool:
        """Whether a log with it is partial: not where directives, the plan of one execution, or ends of tasks of stages that
        ended are all that is missing."""
        return self not in (ProblemCode.UNREADABLE_DIRECTIVES, ProblemCode.DEEP_PLAN, ProblemCode.DROPPED_EVENTS)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a log that could not be read. `line` counts from 1; 0 stands for the whole file.

    `retryable` is True where reading again later may help (the file was still being written).
    """

    file: str
    line: int
    code: ProblemCode
    message: str
    retryable: bool = False


class MetricInfo(msgspec.Struct, frozen=True, gc=False):
    """A metric of an operator: its name, and the accumulator that holds its value."""

    name: str = ""
    accumulator_id: Long = msgspec.field(default=-1, name="accumulatorId")
    metric_type: str = msgspec.field(default="sum", name="metricType")


class PlanInfo(msgspec.Struct, frozen=True, gc=False):
    """Spark's `SparkPlanInfo`: one physical operator of a plan as the log writes it."""

    name: str = msgspec.field(default="", name="nodeName")
    text: str = msgspec.field(default="", name="simpleString")
    children: tuple[PlanInfo, ...] = ()
    metadata: dict[str, str] = {}
    metrics: tuple[MetricInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """One SQL execution. `initial_plan` is the plan before AQE, `final_plan` AQE's last (None without AQE).

    `logical_plan` is the optimised logical plan with the planner's size estimates, as text: there only when
    `spark.sql.ui.explainMode` was `cost`. `accumulators` holds the values of SQL metrics by id, as this execution's own
    tasks and driver updated them: a plan that runs again, or is cached, keeps its ids. `steered` and `values` are what
    the Catalyst agent says of it: what became of its directives, and the values in it. Of one that `asks_if_empty` Spark took
    one row, as its plan does not show before Spark 4. `stopped`: it is of a batch whose stream was stopped while it ran.
    """

    execution_id: int
    root_execution_id: int
    description: str
    start_ms: int
    end_ms: int | None
    error: str | None
    initial_plan: PlanInfo | None
    final_plan: PlanInfo | None
    modified_conf: Mapping[str, str]
    stage_ids: tuple[int, ...]
    logical_plan: str | None = None
    accumulators: Mapping[int, int] = field(default_factory=dict)
    steered: tuple[DirectiveResult, ...] = ()
    values: QueryValues = UNKNOWN_VALUES
    asks_if_empty: bool = False
    stopped: bool = False


class JobStatus(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Job:
    """One Spark job. `stage_ids` are all it depends on, also those it skipped: an earlier job's output served.

    `tasks` counts the tasks of the stages that were not yet complete when it was submitted, `skipped_tasks` those of the
    stages whose attempt of that time it did without (a later one may have run: the output was lost meanwhile). Completed,
    failed and killed tasks are attempts at tasks, in the attempts at its stages that ran while it did.
    """

    job_id: int
    execution_id: int | None
    stage_ids: tuple[int, ...]
    tasks: int
    completed_tasks: int
    failed_tasks: int
    killed_tasks: int
    skipped_tasks: int
    submitted_ms: int | None
    completed_ms: int | None
    status: JobStatus
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One attempt of a stage. Totals include every task attempt that reported metrics, failed and speculative ones too.

    `tasks` are its partitions; completed, failed and killed tasks are counted by attempts, as Spark's UI counts them.
    `accumulator_ids` are those of the SQL metrics its tasks updated: they tell which operators ran in it. `job_ids` are
    the jobs that waited for it. `longest_task_ms` is the run time of the slowest task that succeeded, and
    `longest_task_bytes` what that one read of files and shuffles; `most_written_bytes` are the most shuffle bytes that one
    of them wrote. Of the completed tasks the log lacks the ends of `untold_tasks`: totals are Spark's own, and so are those of
    the SQL metrics but for `partial_ids`; a longest task may be missing. `partial_ids` are SQL metrics whose values are not of
    each task once.
    """

    stage_id: int
    attempt: int
    execution_id: int | None
    tasks: int
    completed_tasks: int
    failed_tasks: int
    killed_tasks: int
    submitted_ms: int | None
    completed_ms: int | None
    failure: str | None
    executor_run_time_ms: int
    executor_cpu_time_ns: int
    input_bytes: int
    input_records: int
    shuffle_read_bytes: int
    shuffle_read_records: int
    shuffle_write_bytes: int
    shuffle_write_records: int
    memory_spilled_bytes: int
    disk_spilled_bytes: int
    output_bytes: int
    output_records: int
    accumulator_ids: frozenset[int] = frozenset()
    job_ids: tuple[int, ...] = ()
    longest_task_ms: int = 0
    longest_task_bytes: int = 0
    most_written_bytes: int = 0
    untold_tasks: int = 0
    partial_ids: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Executors:
    """The largest number alive at once, the cores of one and the heap it asked for (bytes; 0 if unknown)."""

    cores: int = 0
    memory_bytes: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """What finished together: a SQL execution (None for jobs without one), its jobs and the stages they ran.

    `conf`, `spark_version` and `steering` are the application's, as far as the stretch of the log that was read tells
    them.
    """

    execution: Execution | None
    jobs: tuple[Job, ...]
    stages: tuple[Stage, ...]
    conf: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    spark_version: str = field(default="", compare=False, repr=False)
    steering: AgentRecord = field(default=UNSTEERED, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Application:
    """One Spark application. `conf` holds allow-listed properties only, `steering` what the Catalyst agent was to do.

    Its executions, jobs and stages are in the order of their ids; where a log is read piece by piece, they were handed
    on as `Work` and are not here. `failures` are the last executors, SQL executions and jobs that failed. `allocated_core_ms` is
    the time that executors held their cores, busy or idle (local mode: the driver's own); None where the log does not tell
    all of it. `work_ended_ms` is when the last of its work ended, where nothing but its end is missing and its log is of
    Databricks, which may leave that out (`tuner.eventlog.as_ended`). `driver_memory_bytes` is the driver's heap, as its log tells
    it; 0 where nothing was looked at. `platform` is what whoever started it tells of it.
    """

    app_id: str
    app_name: str
    attempt: str | None
    spark_version: str
    start_ms: int | None
    end_ms: int | None
    status: Completeness
    executors: Executors
    conf: Mapping[str, str]
    executions: tuple[Execution, ...] = ()
    jobs: tuple[Job, ...] = ()
    stages: tuple[Stage, ...] = ()
    problems: tuple[Problem, ...] = ()
    steering: AgentRecord = UNSTEERED
    failures: tuple[LoggedFailure, ...] = ()
    allocated_core_ms: int | None = None
    work_ended_ms: int | None = None
    resources: ResourceUse = UNKNOWN_USE
    driver_memory_bytes: int = 0
    platform: PlatformRun = UNTOLD_PLATFORM
