"""The event log of one run among the logs of a directory, by the key it was submitted with."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.model import Application
from tuner.eventlog.read import read_application

KEY_PROPERTY = "spark.tuner.key"


def local_path(url: str) -> Path:
    """The path of a directory given as path or `file:` URL. Raises EventLogNotFoundError for other file systems."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if parts.scheme and "://" in url:
        raise EventLogNotFoundError(
            f"{parts.scheme}://{parts.hostname or ''}…: only local event log directories can be read; "
            "mount it, or use a path"
        )
    return Path(url)


def locate(directory: str, key: str, since_seconds: float) -> Application:
    """The application with this key. Logs not written since `since_seconds` (epoch) are not opened.

    Raises EventLogNotFoundError when the directory or the log is not there.
    """
    path = local_path(directory)
    for source in find_logs(path):
        if _written(source) >= since_seconds:
            application = read_application(source)
            if application.conf.get(KEY_PROPERTY) == key:
                return application
    raise EventLogNotFoundError(
        f"{path}: no event log with {KEY_PROPERTY}={key}; the job may have ended before Spark started"
    )


def _written(source: LogSource) -> float:
    return max((file.stat().st_mtime for file in source.files), default=0.0)
