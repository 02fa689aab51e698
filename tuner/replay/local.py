"""The replay of logs in this process: read one after the other, walked cohort by cohort, in flat memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from tuner.eventlog.find import LogSource
from tuner.eventlog.location import shown
from tuner.eventlog.log_version import finished_name, log_bytes
from tuner.eventlog.properties import redact
from tuner.eventlog.read import holds_no_events, read_log
from tuner.model.application import Application, Completeness, Work
from tuner.model.query import Query
from tuner.model.run import RunState
from tuner.plan.queries import in_full, query_and_plans
from tuner.problems import Problems
from tuner.replay.cohort_of import BY_LOG, CohortRules
from tuner.replay.cohort_replay import CohortReplay, LoggedRun, ReplayedRun, ReplaySummary, UnreadLog
from tuner.replay.logged_run import logged_run
from tuner.replay.run_selection import EVERYTHING, RunSelection
from tuner.replay.score import backtest
from tuner.replay.spool import Spool
from tuner.replay.totals import CohortTotals
from tuner.replay.walk import Walker


class LocalReplay:
    """A `Replayed` of the logs that it was given to read; `walk` comes between.

    It may be given more logs after a walk: the next one is of the cohorts that these belong to, and so is then all it tells.
    """

    def __init__(self, walker: Walker, rules: CohortRules = BY_LOG, chosen: RunSelection = EVERYTHING) -> None:
        self._walker, self._rules, self._chosen = walker, rules, chosen
        self._logged, self._replayed = Spool(LoggedRun), Spool(ReplayedRun)
        self._cohorts: list[CohortReplay] = []
        self._unwalked: set[str] = set()
        self._unread: dict[str, str] = {}
        self._problems = Problems()
        self._logs = self._size_bytes = 0

    def read(self, source: LogSource) -> None:
        """Take in a log. What cannot be read of it is told in the summary, and stops nothing."""
        try:
            self._read(source)
        except Exception as error:
            # Hostile values: numbers beyond 64 bits, text that is no Unicode.
            self._unread[shown(source.path)] = redact(f"cannot be read: {type(error).__name__}: {error}")

    def _read(self, source: LogSource) -> None:
        found: list[Query] = []

        def take(work: Work) -> None:
            if work.execution and (one := query_and_plans(work.execution, work.stages, work.steering)):
                found.append(in_full(one, work.stages, work.execution.logical_plan))

        application = read_log(source, take)
        if holds_no_events(application) and not source.named:
            return
        log = shown(source.path)
        self._logs += 1
        self._size_bytes += log_bytes(source)
        run = logged_run(application, found, log, self._rules)
        if run is None or run.state is RunState.PARTIAL or not run.outcome.queries:
            self._unread[log] = unused_because(application, run)
        if run is not None and self._chosen.is_named(run.cohort):
            self._take(run)

    def _take(self, run: LoggedRun) -> None:
        other = self._logged.get(run.cohort, run.key)
        if other is not None and not _is_older_reading(other, of=run):
            run, left = sorted((run, other), key=preference)
            self._unread[left.log] = f"of the same application as {run.log}"
        self._logged.put(run)
        self._unwalked.add(run.cohort)

    @property
    def cohort_count(self) -> int:
        """How many cohorts `walk` has before it."""
        return len(self._unwalked)

    def walk(self) -> Iterator[CohortReplay]:
        """Replay each cohort, and hand it on as it is done. One at which its taker fails is walked again next time."""
        newest = self._logged.newest
        since = self._chosen.start(newest) if newest else None
        self._cohorts, self._replayed = [], Spool(ReplayedRun)
        for cohort in sorted(self._unwalked):
            if (done := self._walk(cohort, since)) is not None:
                self._cohorts.append(done)
                yield done
            self._unwalked.discard(cohort)

    def _walk(self, cohort: str, since: datetime | None) -> CohortReplay | None:
        totals = CohortTotals(cohort)
        steps = self._walker.walk(self._logged.runs(cohort, since), self._problems)
        while True:
            try:
                run = next(steps)
            except StopIteration as end:
                return totals.result(end.value) if totals.runs else None
            self._replayed.put(run)
            totals.take(run)

    @property
    def summary(self) -> ReplaySummary:
        observed = [o for cohort in self._cohorts for o in cohort.observed]
        return ReplaySummary(
            cohorts=by_gain(self._cohorts),
            unread=tuple(UnreadLog(log, why) for log, why in self._unread.items()),
            logs=self._logs,
            size_bytes=self._size_bytes,
            problems=tuple(self._problems.found),
            backtest=backtest(observed),
        )

    def runs(self, cohort: str | None = None) -> Iterator[ReplayedRun]:
        return self._replayed.runs(cohort)

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        newest = self._logged.newest
        return self._logged.runs(cohort, self._chosen.start(newest) if newest else None)


def _is_older_reading(run: LoggedRun, of: LoggedRun) -> bool:
    """Whether a run is of the same log, as that was before it was written on."""
    return finished_name(run.log) == finished_name(of.log)


def preference(run: LoggedRun) -> tuple[bool, str]:
    """Of two logs of one application the one that does not break off; of those alike, the first by name."""
    return run.state is RunState.PARTIAL, run.log


def by_gain(cohorts: Iterable[CohortReplay]) -> tuple[CohortReplay, ...]:
    """Most core-hours to save first; of those alike, the most core-hours that there are."""
    return tuple(sorted(cohorts, key=lambda c: (-c.saved_core_hours, -c.core_hours, c.cohort)))


def unused_because(application: Application, run: LoggedRun | None) -> str:
    """Why a log is not used, or not whole."""
    first = f": {application.problems[0].message}" if application.problems else ""
    if application.status is Completeness.FAILED:
        return f"no application could be read{first}"
    if run is None:
        return "does not say which application it is of, or when that started"
    if application.status is Completeness.PARTIAL:
        return f"breaks off; that run is not used as evidence{first}"
    return "ran no SQL query: there is nothing to plan"
