"""A stretch of a log, as the fold leaves it at its end."""

from __future__ import annotations

import msgspec

from tuner.eventlog import events as ev
from tuner.eventlog.open_parallelism import OpenParallelism
from tuner.eventlog.open_resources import OpenResources
from tuner.eventlog.open_work import OpenExecution, OpenJob, OpenStage
from tuner.eventlog.strongest_results import strongest_results
from tuner.eventlog.told_ids import ToldIds
from tuner.model.agent_record import UNSTEERED, AgentRecord
from tuner.model.application import Problem, ProblemCode, Work
from tuner.model.directive_result import DirectiveResult
from tuner.model.failure import LoggedFailure
from tuner.model.platform_run import UNTOLD_PLATFORM, PlatformRun
from tuner.model.query_values import UNKNOWN_VALUES, QueryValues

_MAX_NOTES = 20
_MAX_STEERED = 1000  # executions that have not ended
_PAGE_IDS = 4096  # executions are marked in pages: one wild number must not cost megabytes


class Fragment(msgspec.Struct):
    """One stretch of a log, a rolled file of it: what is not finished at its end, and what it tells of the application.

    `steered` and `values` are what the agent said of executions, by their ids: it says so before they start. `failures` are
    the last executions and jobs that failed, `losses` the last executors that were lost, `died_tasks` what the last task that
    failed of a stage died of, `failed_stages` whether a stage that failed had executors of its own (None: a later attempt at it
    did not fail), `kills_itself` says that executors do where their heap is full, `limits_direct` that the job
    limits their direct memory. `executor_changes` are executors by name, with the cores they were added with (None: removed)
    and when, `driver_storage_bytes` what the driver's block manager may hold on its heap (0: not told). `of_databricks` says
    whose log it is, `platform` what that tells of it, `last_end_ms` when the last job or execution ended. `handed_on` marks
    the executions that were, a bit each; `told_stages` are the stages whose first attempt was, `told_jobs` and `told_tasks`
    the jobs and attempts at tasks that began or ended. `dropped_ends` are tasks of stages that ended whose own ends are not
    told, `dropping_stages` how many stages those are of. `held` is work that has finished, of which another stretch tells
    more. In `events` a long one counts as several.
    """

    version: str = ""
    start: ev.ApplicationStart | None = None
    end_ms: int | None = None
    of_databricks: bool = False
    platform: PlatformRun = UNTOLD_PLATFORM
    last_end_ms: int = 0
    conf: dict[str, str] = {}
    steering: AgentRecord = UNSTEERED
    steered: dict[int, tuple[DirectiveResult, ...]] = {}
    values: dict[int, QueryValues] = {}
    executor_changes: list[tuple[str, int | None, int]] = []
    driver_storage_bytes: int = 0
    failures: list[LoggedFailure] = []
    losses: list[LoggedFailure] = []
    died_tasks: dict[int, LoggedFailure] = {}
    failed_stages: dict[int, bool | None] = {}
    kills_itself: bool = False
    limits_direct: bool = False
    executions: dict[int, OpenExecution] = {}
    handed_on: dict[int, bytearray] = {}
    held: list[Work] = []
    jobs: dict[int, OpenJob] = {}
    stages: dict[int, OpenStage] = {}
    told_tasks: ToldIds = msgspec.field(default_factory=ToldIds)
    told_jobs: ToldIds = msgspec.field(default_factory=ToldIds)
    told_stages: ToldIds = msgspec.field(default_factory=ToldIds)
    dropped_ends: int = 0
    dropping_stages: int = 0
    resources: OpenResources = msgspec.field(default_factory=OpenResources)
    parallelism: OpenParallelism = msgspec.field(default_factory=OpenParallelism)
    events: int = 0
    lines: int = 0
    problems: list[Problem] = []
    notes: list[tuple[ProblemCode, str]] = []
    unlisted_notes: int = 0

    def steer(self, execution_id: int, said: tuple[DirectiveResult, ...], values: QueryValues = UNKNOWN_VALUES) -> None:
        """Keep what the agent said of an execution's plan until the execution is handed on."""
        self.steered[execution_id] = strongest_results((*self.steered.get(execution_id, ()), *said))
        if values != UNKNOWN_VALUES or execution_id not in self.values:
            self.values[execution_id] = values
        if len(self.steered) > _MAX_STEERED:
            forgotten = next(iter(self.steered))
            del self.steered[forgotten], self.values[forgotten]

    def hand_on(self, execution_id: int) -> None:
        """Keep that an execution was handed on."""
        page = self.handed_on.setdefault(execution_id // _PAGE_IDS, bytearray(_PAGE_IDS // 8))
        page[execution_id % _PAGE_IDS // 8] |= 1 << execution_id % 8

    def is_handed_on(self, execution_id: int) -> bool:
        """Whether an execution was handed on: neither open nor never heard of."""
        if execution_id in self.executions:
            return False
        page = self.handed_on.get(execution_id // _PAGE_IDS)
        return page is not None and bool(page[execution_id % _PAGE_IDS // 8] & 1 << execution_id % 8)

    def absorb_handed_on(self, later: Fragment) -> None:
        """Take in the marks of the stretch that follows."""
        for number, page in later.handed_on.items():
            marked = self.handed_on.get(number, bytes(len(page)))
            self.handed_on[number] = bytearray(a | b for a, b in zip(marked, page, strict=True))

    def note(self, code: ProblemCode, message: str) -> None:
        """Keep what is wrong with the log as a whole: the first few, and how many more that lose events."""
        if len(self.notes) < _MAX_NOTES:
            self.notes.append((code, message))
        elif code.loses_events:
            self.unlisted_notes += 1
