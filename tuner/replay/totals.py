"""A cohort's replayed runs as one: where its time went, and what would have saved how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange, Decision
from tuner.replay.cohort_replay import Advised, CohortReplay, Lacked, Observed, ReplayedRun, Upcoming
from tuner.replay.cohort_resources import NO_RESOURCES, CohortResources, with_run
from tuner.replay.trials import NOTHING, Place, added, place_of
from tuner.units import SECONDS_PER_HOUR


@dataclass(slots=True)
class _Advice:
    last: tuple[DecidedChange, ...]
    runs: int = 0
    seconds: Prediction = NOTHING
    core_hours: float = 0.0
    already_set: Mapping[str, str] = field(default_factory=dict)

    def add(self, decided: tuple[DecidedChange, ...], lacked: Lacked, query_cores: float) -> None:
        self.last = decided
        self.runs += 1
        self.seconds = added(self.seconds, lacked.predicted)
        self.core_hours += lacked.predicted.gain * query_cores / SECONDS_PER_HOUR
        self.already_set = lacked.already_set

    def advised(self) -> Advised:
        return Advised(self.last, self.runs, self.seconds, self.core_hours, self.already_set)


@dataclass(slots=True)
class CohortTotals:
    """Takes the runs of one cohort in time order; memory grows with the changes advised, not with what runs hold."""

    cohort: str
    runs: int = 0
    measured: int = 0
    live: int = 0
    as_live: int = 0
    query_seconds: float = 0.0
    core_hours: float = 0.0
    saved_core_hours: float = 0.0
    first_at: datetime | None = None
    last_at: datetime | None = None
    resources: CohortResources = NO_RESOURCES
    saved_if_unset: float = 0.0
    saved_core_hours_if_unset: float = 0.0
    _saved: Prediction | None = None
    # Of a trial apart what runs lacked that had set its properties.
    _advice: dict[tuple[Place, bool], _Advice] = field(default_factory=dict)
    _observed: list[Observed] = field(default_factory=list)

    def take(self, run: ReplayedRun) -> None:
        self.runs += 1
        self.live += run.as_live is not None
        self.as_live += run.as_live is True
        self.first_at = self.first_at or run.started_at
        self.last_at = run.started_at
        self._observed.extend(run.observed)
        self.resources = with_run(self.resources, run.cluster, run.allocated_core_ms, run.resources)
        if run.actual_seconds is None:
            return
        self.measured += 1
        self.query_seconds += run.actual_seconds
        self.core_hours += run.actual_seconds * run.query_cores / SECONDS_PER_HOUR
        if run.predicted_seconds is not None:
            self._saved = added(self._saved or NOTHING, run.predicted_seconds)
            self.saved_core_hours += run.predicted_seconds.gain * run.query_cores / SECONDS_PER_HOUR
        self.saved_if_unset += run.gain_if_unset
        self.saved_core_hours_if_unset += run.gain_if_unset * run.query_cores / SECONDS_PER_HOUR
        for decided, lacked in _decided(run.decision, run.lacked):
            place = place_of(decided), bool(lacked.already_set)
            self._advice.setdefault(place, _Advice(decided)).add(decided, lacked, run.query_cores)

    def result(self, upcoming: Upcoming) -> CohortReplay:
        """With what a run that would come now is given. ValueError before the first run."""
        if self.first_at is None or self.last_at is None:
            raise ValueError(f"cohort {self.cohort} has no run")
        advised = sorted(
            [*self._lacked(), *self._only_upcoming(upcoming)], key=lambda a: (bool(a.already_set), -a.core_hours)
        )
        return CohortReplay(
            cohort=self.cohort,
            runs=self.runs,
            measured=self.measured,
            first_at=self.first_at,
            last_at=self.last_at,
            query_seconds=self.query_seconds,
            core_hours=self.core_hours,
            saved=self._saved,
            saved_core_hours=self.saved_core_hours,
            advised=tuple(advised),
            next=upcoming.decision,
            next_saved=upcoming.predicted_seconds,
            live=self.live,
            as_live=self.as_live,
            observed=tuple(self._observed),
            names=dict(upcoming.names),
            resources=self.resources,
            saved_if_unset=self.saved_if_unset,
            saved_core_hours_if_unset=self.saved_core_hours_if_unset,
            next_saved_if_unset=upcoming.gain_if_unset,
            next_already_set={name: value for one in upcoming.lacked for name, value in one.already_set.items()},
        )

    def _lacked(self) -> list[Advised]:
        return [advice.advised() for advice in self._advice.values()]

    def _only_upcoming(self, upcoming: Upcoming) -> Iterator[Advised]:
        """Changes that no run so far was to have."""
        known = {place for place, _ in self._advice}
        for decided, lacked in _decided(upcoming.decision, upcoming.lacked):
            if place_of(decided) not in known:
                core_hours = lacked.predicted.gain * upcoming.query_cores / SECONDS_PER_HOUR
                yield Advised(decided, 0, lacked.predicted, core_hours, lacked.already_set)


def _decided(decision: Decision, found: Iterable[Lacked]) -> Iterator[tuple[tuple[DecidedChange, ...], Lacked]]:
    by_id = {d.id: d for d in decision.changes}
    for lacked in found:
        yield tuple(by_id[id_] for id_ in lacked.changes), lacked
