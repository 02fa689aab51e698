"""What two runs of one job differ in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tuner.compare.cause import Cause, CauseKind
from tuner.compare.execution_amounts import ExecutionAmounts
from tuner.compare.operator_difference import OperatorDifference
from tuner.compare.plan_change import PlanChange
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.run import RunState


@dataclass(frozen=True, slots=True)
class RunTotals:
    """A run as a whole. `application_seconds` are from start to end, `outside_seconds` of these those in which no query ran,
    `core_hours` what executors held; None where its log does not tell. `gc_share` is that of tasks' time which
    they waited for the collector (0: also where that is not known). `amounts` sum its queries, `queries` counts executions;
    `overlaps` says that several ran at the same time."""

    key: str
    cohort: str
    app_id: str
    started_at: datetime
    state: RunState
    application_seconds: float | None
    outside_seconds: float | None
    core_hours: float | None
    gc_share: float
    amounts: ExecutionAmounts
    queries: int
    overlaps: bool
    spark_version: str
    cluster: Cluster

    @property
    def query_seconds(self) -> float:
        return self.amounts.seconds

    @property
    def seconds(self) -> float:
        """Of the application; of its queries together where its log does not tell when it ended."""
        return self.query_seconds if self.application_seconds is None else self.application_seconds


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """One query, all of its executions in a run together. `before` and `after` are None where it did not run; `fingerprint` is
    that of the later run, where its statement was edited.

    `share` is that of the whole difference, None where that is next to nothing or points the other way. `is_noise` says that it
    did the same work with the same plan, and took no more or less than any query does from run to run. `causes` sum to
    `difference`, the largest first. `plan` and `operators` are those of the execution that differs most.
    """

    fingerprint: str
    executions_before: int
    executions_after: int
    before: ExecutionAmounts | None
    after: ExecutionAmounts | None
    share: float | None
    is_noise: bool
    causes: tuple[Cause, ...]
    plan: tuple[PlanChange, ...] = ()
    operators: tuple[OperatorDifference, ...] = ()

    @property
    def difference(self) -> float:
        """Seconds: more than 0 where it was slower."""
        return (self.after.seconds if self.after else 0.0) - (self.before.seconds if self.before else 0.0)


@dataclass(frozen=True, slots=True)
class CauseTotal:
    """What causes of one kind come to over all queries: `largest` is that of the query with this fingerprint ("": of none)."""

    kind: CauseKind
    seconds: float
    queries: int
    largest: Cause
    fingerprint: str


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A property of Spark; None where it was not set. `by_tuner`: the tuner set it in one of the runs."""

    property: str
    before: str | None
    after: str | None
    by_tuner: bool = False


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, what differs, and why. `difference` is in seconds: more than 0 where the run after was slower.

    `causes` are by kind, the largest first; they sum to the differences of all queries and of the time outside them, which is
    `difference` where no two queries ran at once. `is_noise` says that it is no more than runs of one job differ by, and little
    of it has another cause than the machine. `changes` are those of the tuner that were in effect in one of both alone, by id:
    `changes_in` in the later one, `changes_out` in the earlier one; `left_out` of these the later one was without to compare.
    `is_same`: both are one application.
    """

    before: RunTotals
    after: RunTotals
    is_same: bool
    is_noise: bool
    causes: tuple[CauseTotal, ...]
    queries: tuple[QueryComparison, ...]
    settings: tuple[SettingChange, ...]
    changes: Mapping[str, Change]
    changes_in: tuple[str, ...]
    changes_out: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def compares_applications(self) -> bool:
        """Whether `difference` is that of the applications; else it is that of their queries."""
        return self.before.application_seconds is not None and self.after.application_seconds is not None

    @property
    def seconds(self) -> tuple[float, float]:
        """What both took, measured alike."""
        if self.compares_applications:
            return self.before.seconds, self.after.seconds
        return self.before.query_seconds, self.after.query_seconds

    @property
    def difference(self) -> float:
        before, after = self.seconds
        return after - before

    @property
    def has_common_queries(self) -> bool:
        return any(query.before and query.after for query in self.queries)
