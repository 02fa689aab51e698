"""The logs in places that are looked at again and again: those that are new or have changed since the last look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from time import time

from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import last_written, log_name, version

# A log that has no end is taken as it is once nothing has been written to it for so long: its application may have been killed.
QUIET_SECONDS = 3600.0


def goes_on(source: LogSource, now: float) -> bool:
    """Whether something may still be written to a log, `now` in seconds since the epoch."""
    return source.in_progress and now - last_written(source) < QUIET_SECONDS


def taken_as_ended(source: LogSource, now: float) -> LogSource:
    """One of Databricks' that nothing was written to for so long goes on no more, though its name never tells; others as
    they are."""
    if not source.delivered or goes_on(source, now) or not last_written(source):
        return source
    return replace(source, in_progress=False)


class LogWatch:
    """Memory: a line for each log. `now` tells the seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._taken: dict[str, str] = {}
        self._found: dict[str, str] = {}

    def changed(self, sources: Iterable[LogSource]) -> Iterator[LogSource]:
        """Of the logs that are there now, those to be read: again until they are `took`. One that is still written is not among
        them."""
        for source in sources:
            if goes_on(source, self._now()):
                continue
            name, now = log_name(source), version(source)
            if self._taken.get(name) != now:
                # As it was before it was read: it may be written to meanwhile.
                self._found[name] = now
                yield source

    def took(self, source: LogSource) -> None:
        """One that `changed` gave has been read."""
        name = log_name(source)
        if (found := self._found.pop(name, None)) is not None:
            self._taken[name] = found
