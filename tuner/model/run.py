"""One execution of a cohort, and what it measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from tuner.model.cluster import Cluster
from tuner.model.decision import Decision
from tuner.model.failure import Failure
from tuner.model.insight import Insight
from tuner.model.plan_picture import PlanPicture
from tuner.model.query import Query
from tuner.model.resource_use import UNKNOWN_USE, ResourceUse
from tuner.units import GIB, MS_PER_HOUR, cost_of

# No run is taken to end later than this after its start; one without a log by then has lost it.
LONGEST_RUN = timedelta(days=2)


class RunState(StrEnum):
    """running: submitted, not harvested. lost: its log never came. partial: its log breaks off, or lacks events. One that is
    running and has an end was seen to succeed before its log was there."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    PARTIAL = "partial"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the run then measured. `conf` holds allow-listed properties only, as all its queries had them.

    `agent_missing` says that directives were in force and never reached the Catalyst agent (`AgentRecord.is_lost`). `failure` is
    the last that failed in it, whatever became of the run. `allocated_core_ms` is as the application has it.
    """

    app_id: str
    spark_version: str
    duration_ms: int | None
    cluster: Cluster
    queries: tuple[Query, ...]
    conf: dict[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    agent_missing: bool = False
    failure: Failure | None = None
    allocated_core_ms: int | None = None
    resources: ResourceUse = UNKNOWN_USE

    @property
    def allocated_core_hours(self) -> float | None:
        """Hours times the cores that executors held, busy or idle; None where the log did not tell, or none was kept."""
        return None if self.allocated_core_ms is None else self.allocated_core_ms / MS_PER_HOUR

    @property
    def allocated_gib_hours(self) -> float | None:
        """Hours times the GiB that executors' containers held, used or not; None where the log did not tell, or none was kept."""
        held = self.resources.allocated_byte_ms
        return None if held is None else held / GIB / MS_PER_HOUR

    def cost(self, core_hour_price: float | None) -> float | None:
        """What these cost, at a price for each; None where one of the two is not known."""
        return cost_of(self.allocated_core_hours, core_hour_price)


@dataclass(frozen=True, slots=True)
class RunDetails:
    """What a finished run has for people to look at, beside its outcome.

    `outlook` is the decision for a run that would start now, with what this one has shown.
    """

    outlook: Decision | None = None
    insights: tuple[Insight, ...] = ()
    pictures: tuple[PlanPicture, ...] = ()


@dataclass(frozen=True, slots=True)
class RunMark:
    """What tells a run as it is stored from any other, and from itself before it ended. `app_id` is None without an outcome."""

    key: str
    try_number: int
    state: str
    started_at: datetime
    ended_at: datetime | None
    app_id: str | None
    duration_ms: int | None
    event_log_dir: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The Airflow task instance that a run was. `map_index` is -1 for a task that is not mapped."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = -1

    @property
    def instance(self) -> str:
        """Which instance of a mapped task it is, in whatever DAG run; "" of a task that is not mapped."""
        return f"{self.dag_id}/{self.task_id}/{self.map_index}" if self.map_index >= 0 else ""

    def is_beside(self, other: Origin) -> bool:
        """Whether both are instances of a mapped task in one DAG run."""
        return self != other and replace(other, map_index=self.map_index) == self


def stem_of(key: str) -> str:
    """What the keys of all tries of a run begin with: all but their last part."""
    return key.rsplit("/", 1)[0]


def are_two_tries(key: str, other: str) -> bool:
    """Whether two keys are those of different tries of one run."""
    return key != other and stem_of(key) == stem_of(other)


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a cohort. `key` is unique over all runs: `<dag>/<run>/<task>/<map>/<try>` under Airflow.

    `origin` is None outside Airflow.
    """

    key: str
    cohort: str
    try_number: int
    started_at: datetime
    state: RunState
    decision: Decision
    event_log_dir: str
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    origin: Origin | None = None

    @property
    def instance(self) -> str:
        """As `Origin.instance`; "" outside Airflow."""
        return self.origin.instance if self.origin else ""

    @property
    def was_seen_to_succeed(self) -> bool:
        """Whether its task saw it succeed before its log was read (`Store.keep_success`), whatever failed in it on the way."""
        return self.state is RunState.RUNNING and self.ended_at is not None

    @property
    def fingerprints(self) -> set[str]:
        """Those of the queries that it had, as far as its log tells."""
        return {query.fingerprint for query in self.outcome.queries} if self.outcome else set()

    @property
    def classes(self) -> set[tuple[str, str]]:
        """The fingerprints of the queries that it had, each with the values of its filters (ids, or the classes of these)."""
        return {(query.fingerprint, query.literals) for query in self.outcome.queries} if self.outcome else set()

    @property
    def failure(self) -> Failure | None:
        """Why it failed, or its log breaks off, as far as its log or its driver's end tells."""
        failed = self.state in (RunState.FAILED, RunState.PARTIAL)
        return self.outcome.failure if failed and self.outcome else None

    @property
    def mark(self) -> RunMark:
        outcome = self.outcome
        return RunMark(
            self.key,
            self.try_number,
            self.state.value,
            self.started_at,
            self.ended_at,
            outcome.app_id if outcome else None,
            outcome.duration_ms if outcome else None,
            self.event_log_dir,
        )

    @property
    def begun(self) -> Run:
        """As it was known while it ran."""
        return replace(self, state=RunState.RUNNING, ended_at=None, outcome=None)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other cohorts of the same store hold for a new one: their latest decisions, and outcomes of runs of `jobs` of them."""

    decisions: tuple[Decision, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    jobs: int = 0
