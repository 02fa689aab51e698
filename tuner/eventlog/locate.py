"""The event log of one run among the logs of a directory, by the key it was submitted with."""

from __future__ import annotations

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path, shown, written_at
from tuner.eventlog.model import Application
from tuner.eventlog.read import read_application

KEY_PROPERTY = "spark.tuner.key"


def locate(directory: str, key: str, since_seconds: float) -> Application:
    """The application with this key. Logs not written since `since_seconds` (epoch) are not opened.

    Raises EventLogNotFoundError when the directory or the log is not there.
    """
    path = log_path(directory)
    for source in find_logs(path):
        if _written(source) >= since_seconds:
            application = read_application(source)
            if application.conf.get(KEY_PROPERTY) == key:
                return application
    raise EventLogNotFoundError(
        f"{shown(path)}: no event log with {KEY_PROPERTY}={key}; the job may have ended before Spark started"
    )


def _written(source: LogSource) -> float:
    return max((written_at(file) for file in source.files), default=0.0)
