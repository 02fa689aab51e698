"""What the store keeps: runs with the decision that steered them and their outcome, and what people said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from tuner.advice.insights.model import Insight
from tuner.advice.model import Action, Evidence, Prediction
from tuner.eventlog.cluster import Cluster
from tuner.history.failure import Failure
from tuner.plan.model import Query
from tuner.plan.picture import PlanPicture


class Mode(StrEnum):
    OBSERVE = "observe"
    SUGGEST = "suggest"
    AUTO = "auto"


class Standing(StrEnum):
    """Where an action stands in a decision. expired: the agent or Spark did not follow it."""

    PROPOSED = "proposed"
    TRIAL = "trial"
    PROMOTED = "promoted"
    PINNED = "pinned"
    ROLLED_BACK = "rolled_back"
    EXPIRED = "expired"
    HELD = "held"

    @property
    def words(self) -> str:
        """As people read it."""
        return "on trial" if self is Standing.TRIAL else self.value.replace("_", " ")


IN_FORCE = frozenset({Standing.TRIAL, Standing.PROMOTED, Standing.PINNED})
# What was in force and is not to come back by itself.
TAKEN_OUT = frozenset({Standing.ROLLED_BACK, Standing.EXPIRED})


class CohortState(StrEnum):
    """observing: nothing in force. trial: something is on trial. tuned: only what is proven or pinned is in force.

    rolled_back: something was in force and nothing is. held: all there is to change was held back.
    """

    OBSERVING = "observing"
    TRIAL = "trial"
    TUNED = "tuned"
    ROLLED_BACK = "rolled_back"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class DecidedAction:
    """An action, where it stands in this run, and why in a sentence with numbers.

    `gained_seconds` is what it gained in the latest run that measured it (less than 0: lost), with what else was in force on
    its queries. `literals` are the ids of the values that its query was measured with: on a join it acts on no others.
    """

    action: Action
    standing: Standing
    reason: str
    queries: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    predicted_seconds: Prediction | None = None
    gained_seconds: float | None = None
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy chose for one run. `summary` is one line for logs and tables."""

    mode: Mode
    summary: str
    actions: tuple[DecidedAction, ...] = ()

    @classmethod
    def of(cls, mode: Mode, actions: Sequence[DecidedAction]) -> Decision:
        """The decision whose summary counts its actions by where they stand."""
        counts = Counter(decided.standing for decided in actions)
        words = [f"{counts[standing]} {standing.words}" for standing in Standing if counts[standing]]
        if mode is Mode.OBSERVE:
            return cls(mode, "; ".join(["observed", *filter(None, [", ".join(words)])]), tuple(actions))
        return cls(mode, ", ".join(words) or "nothing to change", tuple(actions))

    @property
    def in_force(self) -> tuple[Action, ...]:
        return tuple(d.action for d in self.actions if d.standing in IN_FORCE)

    @property
    def state(self) -> CohortState:
        """Where it leaves its cohort: by what is in force; without any, by what was taken out or held back."""
        standings = {d.standing for d in self.actions}
        if Standing.TRIAL in standings:
            return CohortState.TRIAL
        if standings & IN_FORCE:
            return CohortState.TUNED
        if standings & TAKEN_OUT:
            return CohortState.ROLLED_BACK
        return CohortState.HELD if standings == {Standing.HELD} else CohortState.OBSERVING


class RunState(StrEnum):
    """running: submitted, not harvested. lost: its log never came. partial: its log breaks off."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    PARTIAL = "partial"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the run then measured. `conf` holds allow-listed properties only.

    `agent_missing` says that directives were in force and the Catalyst agent never spoke: it did not load. `failure` is
    the last that failed in it, whatever became of the run.
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


@dataclass(frozen=True, slots=True)
class RunDetails:
    """What a finished run has for people to look at, beside its outcome.

    `outlook` is the decision for a run that would start now, with what this one has shown.
    """

    outlook: Decision | None = None
    insights: tuple[Insight, ...] = ()
    pictures: tuple[PlanPicture, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """The Airflow task instance that a run was. `map_index` is -1 for a task that is not mapped."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = -1


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
    def failure(self) -> Failure | None:
        """Why it failed, or its log breaks off, as far as its log or its driver's end tells."""
        failed = self.state in (RunState.FAILED, RunState.PARTIAL)
        return self.outcome.failure if failed and self.outcome else None

    @property
    def begun(self) -> Run:
        """As it was known while it ran."""
        return replace(self, state=RunState.RUNNING, ended_at=None, outcome=None)


class Ruling(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    PIN = "pin"
    ROLL_BACK = "rollback"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person said of an action of a cohort. The newest verdict on an action counts."""

    cohort: str
    action_id: str
    ruling: Ruling
    by: str
    at: datetime
    reason: str = ""

    @property
    def words(self) -> str:
        """Who said what, and why."""
        return f"{self.ruling} by {self.by}" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other cohorts of the same store hold for a new one: their latest decisions, and outcomes of runs of `jobs` of them."""

    decisions: tuple[Decision, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    jobs: int = 0


@dataclass(frozen=True, slots=True)
class ModeChange:
    """The mode a person gave a cohort; None gives it back to what the job or the configuration says. The newest counts."""

    cohort: str
    mode: Mode | None
    by: str
    at: datetime
    reason: str = ""
