"""What a replay reads and what it finds. All of it can be written as JSON by msgspec, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tuner.model.change import Prediction
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision
from tuner.model.platform_run import UNTOLD_PLATFORM, PlatformRun
from tuner.model.resource_use import UNKNOWN_USE, ResourceUse
from tuner.model.run import Origin, Outcome, RunState
from tuner.replay.cohort_resources import NO_RESOURCES, CohortResources
from tuner.units import MS_PER_HOUR


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """An application as a run of its cohort: what its log tells of it.

    `key` is that of the live run that it was, else made of the application's id. `steered` says that the tuner submitted
    it; `changes` is then the digest of its decision, where its version left one, and `directed` holds the ids of the
    actions the Catalyst agent was told to carry out. `ended_at` is None where the log breaks off. `platform` is as the
    application has it.
    """

    log: str
    app_name: str
    key: str
    cohort: str
    try_number: int
    started_at: datetime
    ended_at: datetime | None
    state: RunState
    outcome: Outcome
    origin: Origin | None = None
    steered: bool = False
    changes: str = ""
    directed: tuple[str, ...] = ()
    platform: PlatformRun = UNTOLD_PLATFORM


@dataclass(frozen=True, slots=True)
class Observed:
    """A change that was advised, and a later run that had it: predicted beside measured seconds of its queries.

    `before` is what these queries took without it, `after` with it; both measured, for the input and the machine's speed
    of the later run. `predicted` is scaled to the same `before`. `by_tuner` says that the change was carried out by the
    tuner; else somebody made it, or Spark came to it. `advisors` are those of its trials.
    """

    actions: tuple[str, ...]
    words: str
    queries: tuple[str, ...]
    advised_in: str
    seen_in: str
    predicted: Prediction
    before: float
    after: float
    by_tuner: bool
    advisors: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        return self.before - self.after

    @property
    def within(self) -> bool:
        """Whether what was measured is in the interval that was predicted."""
        return self.predicted.low <= self.after <= self.predicted.high


@dataclass(frozen=True, slots=True)
class Lacked:
    """A trial that a run was to have and had not, by the ids of its changes: its queries' seconds without and with it.

    `already_set` are properties of it that the run had set, whoever did, with their values.
    """

    changes: tuple[str, ...]
    predicted: Prediction
    already_set: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A run, the decision that the policy would have given it, and what that would have saved.

    `in_force` are ids of the decision's changes that the run did have, `lacked` the changes that it had not.
    `actual_seconds` is what its queries took, `predicted_seconds` what they would have with what it lacked (`before` is
    the actual), but for properties that it had set: `gain_if_unset` are the seconds that these would save beside that, if
    they were left to the tuner; None where nothing was measured, or lacking. `clock_share` is how much of a second of its
    queries passed on the clock (less than 1 where several ran at once). `core_seconds` is what their tasks ran, `held_cores`
    how many cores its executors held on average, `allocated_core_ms` the time that they held these, busy or idle (None: its log
    does not tell), `resources` what else they held and used. `as_live` says whether a steered run's own decision reads the
    same; None for a run that the tuner did not steer.
    """

    key: str
    cohort: str
    log: str
    app_id: str
    started_at: datetime
    state: RunState
    cluster: Cluster
    decision: Decision
    in_force: tuple[str, ...] = ()
    lacked: tuple[Lacked, ...] = ()
    predicted_seconds: Prediction | None = None
    actual_seconds: float | None = None
    core_seconds: float = 0.0
    as_live: bool | None = None
    observed: tuple[Observed, ...] = ()
    allocated_core_ms: int | None = None
    resources: ResourceUse = UNKNOWN_USE
    clock_share: float = 1.0
    held_cores: float | None = None
    gain_if_unset: float = 0.0

    @property
    def query_cores(self) -> float:
        """Cores that were held, shared out among queries that ran at once."""
        return (self.cluster.cores if self.held_cores is None else self.held_cores) * self.clock_share

    @property
    def allocated_core_hours(self) -> float | None:
        return None if self.allocated_core_ms is None else self.allocated_core_ms / MS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Upcoming:
    """The decision for a run that would come now, and what it would save if that were like the newest measured one.

    `query_cores` are as that one had them, `names` those of the cohort's queries, by fingerprint, `gain_if_unset` as of a
    ReplayedRun.
    """

    decision: Decision
    lacked: tuple[Lacked, ...] = ()
    predicted_seconds: Prediction | None = None
    query_cores: float = 0.0
    names: Mapping[str, str] = field(default_factory=dict)
    gain_if_unset: float = 0.0


@dataclass(frozen=True, slots=True)
class Advised:
    """A trial over all runs of a cohort that it was advised for and that ran without it. Seconds are sums over those runs;
    `core_hours` is the gain times the cores that each run held, shared out among queries that ran at once.

    `last` is the newest decision on each of its changes; `runs` counts the runs, 0 where only the run to come would have
    it: seconds and core-hours are then of that one. `already_set` are properties of it that these runs had set, as the newest
    had them: runs that had not are another Advised.
    """

    last: tuple[DecidedChange, ...]
    runs: int
    seconds: Prediction
    core_hours: float
    already_set: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CohortReplay:
    """A cohort's runs as one: where its time went, and what was advised, most core-hours first.

    `query_seconds` sums what its queries took, `core_hours` is that times the cores that each run held, shared out among
    queries that ran at once; `saved` is None where no run lacked an advised change. What is advised of properties that runs had
    set is not in it: that would save `saved_if_unset` seconds more, if these were left to the tuner. `next` is the decision for
    a run that would come now, `next_saved` what it would save in that one. `live` counts the runs that the tuner steered,
    `as_live` those of them whose decision reads the same here. `resources` has what executors held in the runs whose logs tell,
    `next_already_set` what the newest run had set of what the next one is to have.
    """

    cohort: str
    runs: int
    measured: int
    first_at: datetime
    last_at: datetime
    query_seconds: float
    core_hours: float
    saved: Prediction | None
    saved_core_hours: float
    advised: tuple[Advised, ...]
    next: Decision
    next_saved: Prediction | None = None
    live: int = 0
    as_live: int = 0
    observed: tuple[Observed, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    resources: CohortResources = NO_RESOURCES
    saved_if_unset: float = 0.0
    saved_core_hours_if_unset: float = 0.0
    next_saved_if_unset: float = 0.0
    next_already_set: Mapping[str, str] = field(default_factory=dict)

    @property
    def allocated_core_hours(self) -> float:
        return self.resources.held_core_hours

    @property
    def allocated_runs(self) -> int:
        return self.resources.held_runs


@dataclass(frozen=True, slots=True)
class UnreadLog:
    """A log that is in no cohort, or that is there only in part, and why. `is_unreadable` says that nothing of it is there."""

    log: str
    why: str
    is_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Backtest:
    """Predictions against what happened, over all that was observed.

    `rank_correlation` is Spearman's, of predicted and measured shares gained; `coverage` the share of measurements within
    their interval (90 % of them should be, `tuner.cost.learned.prediction_errors.LEVEL`); `right` the share of
    changes after which the queries were faster. None where too little was observed.
    """

    pairs: int
    by_tuner: int
    rank_correlation: float | None = None
    coverage: float | None = None
    right: float | None = None
    median_error: float | None = None


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """All cohorts, most core-hours to save first, what could not be read, and how much was. `unnamed` are the cohorts that there
    are, where the pattern that was asked for names none of them."""

    cohorts: tuple[CohortReplay, ...]
    unread: tuple[UnreadLog, ...]
    logs: int
    size_bytes: int
    problems: tuple[str, ...] = ()
    backtest: Backtest | None = None
    unnamed: tuple[str, ...] = ()

    @property
    def allocated_core_hours(self) -> float:
        """What executors held in the runs whose logs tell."""
        return sum(cohort.allocated_core_hours for cohort in self.cohorts)

    @property
    def saved_core_hours(self) -> float:
        return sum(cohort.saved_core_hours for cohort in self.cohorts)

    @property
    def saved_core_hours_if_unset(self) -> float:
        return sum(cohort.saved_core_hours_if_unset for cohort in self.cohorts)
