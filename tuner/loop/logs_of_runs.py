"""Where the event logs of runs lie: in directories of their own, or among those of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource
from tuner.eventlog.locate import MAX_SEARCH_SECONDS, find_log, logs_by_key
from tuner.loop.event_log_place import of_key
from tuner.model.run import Run
from tuner.steering.submit_conf import marker

# Clocks of driver and file system may differ.
CLOCK_SLACK_SECONDS = 120.0


def log_of_run(
    directory: str,
    key: str,
    started_at: datetime,
    access: Mapping[str, Any],
    most_seconds: float = MAX_SEARCH_SECONDS,
) -> LogSource:
    """The log of the run `key`. Raises as `find_log`."""
    if not directory:
        raise EventLogNotFoundError("no event log directory was set for this run")
    try:
        return find_log(directory, marker(key), _since(started_at), most_seconds, access)
    except EventLogNotFoundError:
        # The clock may have been set back meanwhile, and a service may have directories of its own below, as Glue has.
        # Elsewhere there may be thousands of other logs.
        if not directory.endswith(of_key(key)):
            raise
        return find_log(directory, marker(key), 0.0, most_seconds, access, is_tree=True)


class LogsOfRuns:
    """The logs of several runs. A directory that they share is looked through once for all of them, for `most_seconds`."""

    def __init__(self, runs: Sequence[Run], access: Mapping[str, Any], most_seconds: float) -> None:
        self._runs: dict[str, list[Run]] = {}
        for run in runs:
            self._runs.setdefault(run.event_log_dir, []).append(run)
        self._access = access
        self._most_seconds = most_seconds
        self._found: dict[str, Mapping[str, LogSource]] = {}

    def of(self, run: Run) -> LogSource:
        """The log of one of the runs. Raises as `find_log`."""
        directory = run.event_log_dir
        if len(self._runs[directory]) == 1:
            return log_of_run(directory, run.key, run.started_at, self._access, self._most_seconds)
        if directory not in self._found:
            self._found[directory] = {}  # One that cannot be listed is not tried again.
            self._found[directory] = self._logs(directory)
        try:
            return self._found[directory][marker(run.key)]
        except KeyError:
            raise EventLogNotFoundError(f"no event log of run {run.key} among those of others") from None

    def _logs(self, directory: str) -> Mapping[str, LogSource]:
        if not directory:
            return {}
        runs = self._runs[directory]
        since = min(_since(run.started_at) for run in runs)
        return logs_by_key(directory, {marker(run.key) for run in runs}, since, self._most_seconds, self._access)


def _since(started_at: datetime) -> float:
    return started_at.timestamp() - CLOCK_SLACK_SECONDS
