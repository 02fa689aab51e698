"""The replay of logs on this machine: read side by side, walked cohort by cohort, in flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import finished_name
from tuner.model.run import RunState
from tuner.problems import Problems
from tuner.replay.cohort_of import BY_LOG, CohortRules
from tuner.replay.cohort_replay import CohortReplay, LoggedRun, ReplayedRun, ReplaySummary, UnreadLog
from tuner.replay.read_run import ReadLog, read_run
from tuner.replay.run_selection import EVERYTHING, RunSelection
from tuner.replay.score import backtest
from tuner.replay.spool import Encoded, RunOrder, Spool, order_of
from tuner.replay.walk import Walker
from tuner.replay.walk_cohort import CohortToWalk, walk_cohort
from tuner.side_by_side import side_by_side


class LocalReplay:
    """A `Replayed` of the logs that it was given to read; `walk` comes between.

    It may be given more logs after a walk: the next one is of the cohorts that these belong to, and so is then all it tells.
    Runs before the first of these logs are not decided on again.
    """

    def __init__(self, walker: Walker, rules: CohortRules = BY_LOG, chosen: RunSelection = EVERYTHING) -> None:
        self._walker, self._rules, self._chosen = walker, rules, chosen
        self._logged, self._replayed = Spool(LoggedRun), Spool(ReplayedRun)
        self._cohorts: list[CohortReplay] = []
        # The first run of each that no walk has had as it is now.
        self._unwalked: dict[str, RunOrder] = {}
        self._walked: list[str] = []
        self._since: datetime | None = None
        self._unread: dict[str, UnreadLog] = {}
        # By cohort, the logs of applications of which another log is preferred.
        self._left: dict[str, dict[str, UnreadLog]] = {}
        self._known: set[str] = set()
        self._problems = Problems()
        self._logs = self._size_bytes = 0

    def read(
        self, sources: Sequence[LogSource], processes: int | None = None, after_each: Callable[[], None] = lambda: None
    ) -> None:
        """Take in logs, in their order, read by so many `processes` (None: as many as there are cores). What cannot be read of
        one is told in the summary, and stops nothing."""
        for log in side_by_side(partial(read_run, rules=self._rules), sources, processes):
            if log is not None:
                self._take(log)
            after_each()

    def _take(self, log: ReadLog) -> None:
        self._logs += 1
        self._size_bytes += log.size_bytes
        if log.unused:
            self._unread[log.log] = UnreadLog(log.log, log.unused, is_unreadable=log.run is None)
        if log.run is None:
            return
        self._know(log.run.cohort)
        if self._chosen.asks_for(log.run.cohort, self._known):
            self._take_run(log.run)

    def _know(self, cohort: str) -> None:
        """A cohort of the very name that is asked for may come after others that match it as a pattern."""
        if cohort in self._known:
            return
        self._known.add(cohort)
        if cohort == self._chosen.cohort:
            for other in self._logged.cohorts:
                if not self._chosen.asks_for(other, self._known):
                    self._let_go_of(other)

    def _let_go_of(self, cohort: str) -> None:
        self._logged.let_go_of(cohort)
        self._replayed.let_go_of(cohort)
        self._left.pop(cohort, None)
        self._unwalked.pop(cohort, None)

    def _take_run(self, run: Encoded) -> None:
        other = self._logged.get(run.cohort, run.key)
        new = [order_of(run)]
        if other is None:
            self._logged.put_encoded(run)
        else:
            new.append(order_of(other))
            self._logged.put(self._preferred(self._logged.decoded(run), other))
        self._unwalked[run.cohort] = min(*new, self._unwalked.get(run.cohort, new[0]))

    def _preferred(self, run: LoggedRun, other: LoggedRun) -> LoggedRun:
        """Of two logs of one run, of which the first was read last."""
        if _is_older_reading(other, of=run):
            return run
        preferred, left = sorted((run, other), key=preference)
        of_cohort = self._left.setdefault(run.cohort, {})
        of_cohort.pop(preferred.log, None)
        of_cohort[left.log] = UnreadLog(left.log, f"of the same run as {preferred.log}")
        return preferred

    @property
    def cohort_count(self) -> int:
        """How many cohorts `walk` has before it."""
        return len(self._unwalked)

    def walk(self, processes: int | None = None) -> Iterator[CohortReplay]:
        """Replay each cohort, and hand it on as it is done, by so many `processes`. One at which its taker fails is walked again
        next time."""
        self._logged.let_go_of_replaced()
        self._replayed.let_go_of_replaced()
        newest = self._logged.newest
        self._since = self._chosen.start(newest) if newest else None
        self._cohorts, self._walked = [], sorted(self._unwalked)
        to_walk = list(map(self._to_walk, self._walked))
        walks = side_by_side(partial(walk_cohort, walker=self._walker), to_walk, processes)
        for name, done in zip(self._walked, walks, strict=True):
            for run in done.runs:
                self._replayed.put_encoded(run)
            self._problems.found.extend(done.problems)
            if done.replay is not None:
                self._cohorts.append(done.replay)
                yield done.replay
            del self._unwalked[name]

    def _to_walk(self, cohort: str) -> CohortToWalk:
        logged, first = self._logged.stored(cohort, self._since), self._unwalked[cohort]
        walked = self._replayed.stored(cohort).before(first)
        # A walk that began elsewhere decided on other pasts.
        alike = walked.orders == logged.before(first).orders
        return CohortToWalk(logged, walked if alike else None)

    @property
    def summary(self) -> ReplaySummary:
        observed = [o for cohort in self._cohorts for o in cohort.observed]
        left = {log: unread for of_cohort in self._left.values() for log, unread in of_cohort.items()}
        return ReplaySummary(
            cohorts=by_gain(self._cohorts),
            unread=tuple((self._unread | left).values()),
            logs=self._logs,
            size_bytes=self._size_bytes,
            problems=tuple(self._problems.found),
            backtest=backtest(observed),
            unnamed=self._chosen.unnamed(self._known),
        )

    def runs(self, cohort: str | None = None) -> Iterator[ReplayedRun]:
        return self._replayed.runs(self._walked if cohort is None else [cohort], self._since)

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        return self._logged.runs([cohort], self._since)


def _is_older_reading(run: LoggedRun, of: LoggedRun) -> bool:
    """Whether a run is of the same log, as that was before it was written on."""
    return finished_name(run.log) == finished_name(of.log)


def preference(run: LoggedRun) -> tuple[bool, float, str]:
    """Of two logs of one run the one that does not break off; of those alike that of the later application, as in the live loop:
    a cluster manager may have started it again. Of one application the first by name."""
    return run.state is RunState.PARTIAL, -run.started_at.timestamp(), run.log


def by_gain(cohorts: Iterable[CohortReplay]) -> tuple[CohortReplay, ...]:
    """Most core-hours to save first; of those alike, the most core-hours that there are."""
    return tuple(sorted(cohorts, key=lambda c: (-c.saved_core_hours, -c.core_hours, c.cohort)))
