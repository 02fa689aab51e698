"""The logs in places that are looked at again and again: those that are new or have changed since the last look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import time

from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import last_written, log_name, version

# A log that has no end is taken as it is once nothing has been written to it for so long: its application may have been killed.
QUIET_SECONDS = 3600.0


class LogWatch:
    """Memory: a line for each log. `now` tells the seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._seen: dict[str, str] = {}

    def changed(self, sources: Iterable[LogSource]) -> Iterator[LogSource]:
        """Of the logs that are there now, those to be read. One that is still written is not among them."""
        for source in sources:
            if source.in_progress and self._now() - last_written(source) < QUIET_SECONDS:
                continue
            name, now = log_name(source), version(source)
            if self._seen.get(name) != now:
                yield source
                self._seen[name] = now  # Not where its taker failed.
