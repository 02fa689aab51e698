"""A run's event log, read as a stream: what is kept of it, without the plans and stages that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from tuner.cost.priced_work import in_brief
from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.find import LogSource
from tuner.eventlog.read import read_log
from tuner.history.documents import QUERY_TIMES
from tuner.history.outcome import outcome_of
from tuner.model.application import Application, JobStatus, Work
from tuner.model.decision import Decision
from tuner.model.insight import Insight
from tuner.model.query import Query
from tuner.model.run import Outcome, RunDetails
from tuner.plan.looked_at import looked_at
from tuner.plan.queries import QueryAndPlans, in_full, query_and_plans

if TYPE_CHECKING:
    from tuner.loop.run_details import LookedAt

# Of so many executions all is kept that was measured, some 60 KB each; of the others what times rest on.
MOST_IN_FULL = 1_000
# Of an execution in brief this stays beside what its times rest on: it is small.
_SMALL = frozenset(
    {
        "input_rows",
        "spilled_bytes",
        "task_count",
        "error",
        "relations",
        "columns",
        "not_deterministic",
        "broadcasts_off",
    }
)
_EMPTY: dict[str, Any] = {f.name: f.default for f in fields(Query) if f.name not in _SMALL.union(QUERY_TIMES)}

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was read of a run's log. `application` is without its work; `has_failed` says that this failed, or did not end."""

    application: Application
    has_failed: bool
    _taken: _Taken

    def outcome(self) -> Outcome:
        """The outcome of the run. Raises what kept its plans from being read."""
        self._taken.require("queries")
        return outcome_of(self.application, self._taken.queries.in_order())

    def details(self, outlook: Decision | None, more: Iterable[Insight] = ()) -> RunDetails:
        """What people see of the run, as `run_details` has it, of one harvested for people. Raises as `outcome`."""
        self._taken.require("details")
        assert self._taken.seen is not None
        return self._taken.seen.details(self.application.status, outlook, more)

    def as_ended(self, now: datetime) -> Harvest:
        """The same of an application whose log its service leaves without an end."""
        return replace(self, application=as_ended(self.application, now))


def harvest(source: LogSource, *, for_people: bool = False) -> Harvest:
    """Reads a log to its end, or to where it breaks off; `for_people` with what they look at. Never raises for what it holds."""
    taken = _Taken()
    if for_people:
        # Only what has run needs these rules.
        from tuner.loop.run_details import LookedAt

        taken.seen = LookedAt()
    application = read_log(source, taken.take)
    return Harvest(application, taken.ends.has_failed, taken)


@dataclass(slots=True)
class _Ends:
    """How the work of an application ended: SQL executions, and jobs outside them, as one that a program catches the failure of
    goes on. `failed_ms` is when the last such job failed, `begun_ms` when the last work began that succeeded."""

    is_broken: bool = False
    failed_ms: int = -1
    begun_ms: int = -1

    @property
    def has_failed(self) -> bool:
        return self.is_broken or self.failed_ms > self.begun_ms

    def take(self, work: Work) -> None:
        execution = work.execution
        if execution is None:
            self._take_jobs(work)
        elif execution.error or execution.end_ms is None:
            self.is_broken = True
        else:
            self.begun_ms = max(self.begun_ms, execution.start_ms)

    def _take_jobs(self, work: Work) -> None:
        for job in work.jobs:
            if job.status is JobStatus.SUCCEEDED:
                self.begun_ms = max(self.begun_ms, job.submitted_ms or 0)
            elif job.status is JobStatus.FAILED:
                self.failed_ms = max(self.failed_ms, job.completed_ms or 0)
            else:
                self.is_broken = True


@dataclass(slots=True)
class _Queries:
    """The queries of an application, MOST_IN_FULL executions of them in full. Where more come, of those that ran most often every
    second one is left with what times rest on: of each that is in full some stay so, and the newest. Where one execution of
    each takes all places, other queries come too late."""

    found: list[Query] = field(default_factory=list)
    in_full: dict[str, list[int]] = field(default_factory=dict)
    count: int = 0

    def add(self, query: Query) -> None:
        if self.count >= MOST_IN_FULL:
            self._make_room(query.fingerprint)
        if self.count >= MOST_IN_FULL:
            self.found.append(_in_brief(query))
            return
        self.in_full.setdefault(query.fingerprint, []).append(len(self.found))
        self.found.append(query)
        self.count += 1

    def _make_room(self, fingerprint: str) -> None:
        if self.count > len(self.in_full):
            most = max(map(len, self.in_full.values()))
            for places in self.in_full.values():
                if len(places) > most // 2:
                    self._leave(places, slice(-2, None, -2))
        elif mine := self.in_full.get(fingerprint):
            self._leave(mine, slice(1))

    def _leave(self, places: list[int], some: slice) -> None:
        for place in places[some]:
            self.found[place] = _in_brief(self.found[place])
        self.count -= len(places[some])
        del places[some]

    def in_order(self) -> tuple[Query, ...]:
        return tuple(sorted(self.found, key=lambda query: query.id))


def _in_brief(query: Query) -> Query:
    return replace(query, **_EMPTY | {"work_in_brief": in_brief(query.work) if query.work else None})


@dataclass(slots=True)
class _Taken:
    """Takes the work of an application and lets go of it. What fails at one plan ends what is made of plans, and no more."""

    ends: _Ends = field(default_factory=_Ends)
    queries: _Queries = field(default_factory=_Queries)
    seen: LookedAt | None = None
    broken: dict[str, Exception] = field(default_factory=dict)

    def take(self, work: Work) -> None:
        self.ends.take(work)
        execution = work.execution
        if execution is None:
            return
        found = self._try("queries", lambda: query_and_plans(execution, work.stages, work.steering))
        if found is None:
            return
        with looked_at(*found[1:]):
            self._look(work, found)

    def _look(self, work: Work, found: QueryAndPlans) -> None:
        text = work.execution.logical_plan if work.execution else None
        self._try("queries", lambda: self.queries.add(in_full(found, work.stages, text)))
        if (seen := self.seen) is not None:
            self._try("details", lambda: seen.add(work, found))

    def _try(self, what: str, make: Callable[[], _Found]) -> _Found | None:
        if what not in self.broken:
            try:
                return make()
            except Exception as error:
                # Its frames hold plans.
                self.broken[what] = error.with_traceback(None)
        return None

    def require(self, what: str) -> None:
        for broken in dict.fromkeys(("queries", what)):
            if broken in self.broken:
                raise self.broken[broken]
