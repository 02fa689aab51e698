"""A run's event log, read as a stream: what is kept of it, without the plans and stages that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.find import LogSource
from tuner.eventlog.read import read_log
from tuner.history.outcome import outcome_of
from tuner.loop.kept_queries import KeptQueries
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Work
from tuner.model.decision import Decision
from tuner.model.insight import Insight
from tuner.model.run import Outcome, RunDetails
from tuner.plan.looked_at import looked_at
from tuner.plan.queries import QueryAndPlans, in_full, plans_that_read, query_of_plans
from tuner.plan.session_conf import SessionConf

if TYPE_CHECKING:
    from tuner.loop.run_details import LookedAt

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class HarvestedRun:
    """What was read of a run's log. `application` is without its work; `has_failed` says that this failed, or did not end."""

    application: Application
    has_failed: bool
    _taken: _Taken

    def outcome(self) -> Outcome:
        """The outcome of the run. Raises what kept its plans from being read."""
        self._taken.require("queries")
        found = outcome_of(self.application, self._taken.queries.in_order())
        return replace(found, conf={**found.conf, **self._taken.session.properties})

    def details(self, outlook: Decision | None, more: Iterable[Insight] = ()) -> RunDetails:
        """What people see of the run, as `run_details` has it, of one harvested for people. Raises as `outcome`."""
        self._taken.require("details")
        assert self._taken.seen is not None
        return self._taken.seen.details(self.application.status, outlook, more)

    def as_ended(self, now: datetime) -> HarvestedRun:
        """The same of an application whose log its service leaves without an end."""
        return replace(self, application=as_ended(self.application, now))


def harvest(source: LogSource, *, for_people: bool = False) -> HarvestedRun:
    """Reads a log to its end, or to where it breaks off; `for_people` with what they look at. Never raises for what it holds."""
    taken = _Taken()
    if for_people:
        # Only what has run needs these rules.
        from tuner.loop.run_details import LookedAt

        taken.seen = LookedAt()
    application = read_log(source, taken.take)
    return HarvestedRun(application, taken.ends.told_by(application).has_failed, taken)


@dataclass(slots=True)
class _Taken:
    """Takes the work of an application and lets go of it. What fails at one plan ends what is made of plans, and no more."""

    ends: WorkEnds = field(default_factory=WorkEnds)
    queries: KeptQueries = field(default_factory=KeptQueries)
    session: SessionConf = field(default_factory=SessionConf)
    seen: LookedAt | None = None
    broken: dict[str, Exception] = field(default_factory=dict)

    def take(self, work: Work) -> None:
        self.ends.take(work)
        execution = work.execution
        if execution is None:
            return
        plans = self._try("queries", lambda: plans_that_read(execution))
        if plans is None:
            return
        with looked_at(*plans):
            found = self._try("queries", lambda: query_of_plans(plans, execution, work.stages, work.steering))
            if found is not None:
                self.session.take(execution.modified_conf)
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
