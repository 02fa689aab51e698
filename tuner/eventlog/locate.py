"""The event log of one run among the logs of a directory, by the key it was submitted with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import AMBIENT, LogPath, log_path, shown
from tuner.eventlog.properties import redact
from tuner.eventlog.read import read_application, starting_conf
from tuner.eventlog.recent_logs import recent_logs
from tuner.model.application import Application
from tuner.within_time import within

KEY_PROPERTY = "spark.tuner.key"
# A task waits no longer for a directory that holds the logs of many others.
MAX_SEARCH_SECONDS = 30.0


def locate(
    directory: str,
    key: str,
    since_seconds: float,
    most_seconds: float = MAX_SEARCH_SECONDS,
    access: Mapping[str, Any] = AMBIENT,
) -> Application:
    """The application with this key, the latest of several. Logs not written since `since_seconds` (epoch) are not
    opened, of the others only the beginnings are read. `access` is as of `log_path`.

    Raises EventLogNotFoundError when the directory or the log is not there, or is not found in `most_seconds`.
    """
    path, until = log_path(directory, access), monotonic() + most_seconds
    for source in _sources(path, since_seconds, most_seconds):
        if starting_conf(source).get(KEY_PROPERTY) == key:
            return read_application(source)
        if monotonic() > until:
            raise EventLogNotFoundError(
                f"{shown(path)}: no event log with {KEY_PROPERTY}={key} found in {most_seconds:g} s among those "
                "written since the run began; give its job an event log directory with fewer logs"
            )
    raise EventLogNotFoundError(
        f"{shown(path)}: no event log with {KEY_PROPERTY}={key}; the job may have ended before Spark started"
    )


def _sources(path: LogPath, since_seconds: float, most_seconds: float) -> Iterator[LogSource]:
    for entry in _entries(path, since_seconds, most_seconds):
        try:
            yield from find_logs(entry)
        except (EventLogNotFoundError, OSError):  # renamed just now, or holds nothing yet
            continue


def _entries(path: LogPath, since_seconds: float, most_seconds: float) -> list[LogPath]:
    try:
        return within(most_seconds, lambda: recent_logs(path, since_seconds))
    except FileNotFoundError:
        raise EventLogNotFoundError(f"{shown(path)}: no such file or directory") from None
    except Exception as error:  # also a remote file system's own: no credentials, no such bucket, no network
        raise EventLogNotFoundError(redact(f"{shown(path)}: cannot be listed: {error}")) from error
