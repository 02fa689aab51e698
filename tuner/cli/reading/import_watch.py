"""`spark-tuner import --watch`: a history of jobs that nobody enrolled, kept up as their event logs come in."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tuner.cli.reading.imported_cohort import imported_cohort
from tuner.cli.reading.log_sources import log_sources, on_stderr
from tuner.errors import TunerError
from tuner.eventlog.log_watch import LogWatch
from tuner.history.store import Store
from tuner.problems import Problems
from tuner.replay.imported import Imported
from tuner.replay.local import LocalReplay


class WatchedImport:
    """Keeps a store up with the logs at some paths."""

    def __init__(
        self,
        paths: Sequence[str],
        replay: LocalReplay,
        store: Store,
        processes: int | None = None,
        *,
        by_agent: bool = True,
    ) -> None:
        self._paths, self._replay, self._store, self._processes = paths, replay, store, processes
        self._by_agent = by_agent
        self._watch, self._problems = LogWatch(), Problems()
        self._told: set[object] = set()

    def look(self) -> Imported:
        """Take in what has come since the last look. Raises StoreError: what could not be stored is stored at the next look."""
        changed = list(self._watch.changed(log_sources(self._paths, tell=self._tell_once)[0]))
        reading = iter(changed)
        self._replay.read(changed, self._processes, lambda: self._watch.took(next(reading)))
        walked = self._replay.walk(self._processes)
        taken_in = partial(imported_cohort, self._store, replayed=self._replay, problems=self._problems)
        kept = [taken_in(cohort, by_agent=self._by_agent) for cohort in walked]
        summary = self._replay.summary
        unread = [log for log in summary.unread if self._is_new(log)]
        return Imported(kept, unread, [p for p in (*summary.problems, *self._problems.found) if self._is_new(p)])

    def _tell_once(self, line: str) -> None:
        if self._is_new(line):
            on_stderr(line)

    def _is_new(self, told: object) -> bool:
        is_new = told not in self._told
        self._told.add(told)
        return is_new


def look_until_ended(
    watched: WatchedImport, every_seconds: float, tell: Callable[[Imported], None]
) -> signal.Signals | None:
    """Look until this program is asked to end, and by which signal. A look that fails is told on stderr, and the next one comes
    all the same."""
    with _asked_to_end() as asked:
        while not asked.is_set():
            try:
                if (imported := watched.look()).is_news:
                    tell(imported)
            except (TunerError, OSError) as error:
                on_stderr(str(error))
            asked.wait(every_seconds)
    return asked.by


class _Asked(threading.Event):
    """Set by a signal."""

    by: signal.Signals | None = None

    def __call__(self, number: int, _: object) -> None:
        self.by = self.by or signal.Signals(number)
        self.set()


@contextmanager
def _asked_to_end() -> Iterator[_Asked]:
    """An event that signals set: a look under way is finished first."""
    asked = _Asked()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, asked)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
