"""What tells one log from others, and whether it has changed since it was read."""

from __future__ import annotations

import hashlib

from tuner.eventlog.find import LogSource
from tuner.eventlog.location import LogPath, shown, size_bytes, written_at


def log_name(source: LogSource) -> str:
    """What a log is called while it is written and after."""
    return finished_name(shown(source.path))


def finished_name(log: str) -> str:
    """A log's name without what Spark takes off when the application ends."""
    return log.removesuffix(".inprogress")


def version(source: LogSource) -> str:
    """Changes when a file of the log is added, grows or is written again."""
    digest = hashlib.sha256()
    for file in source.files:
        digest.update(f"{file.name}\0{file_bytes(file)}\0{_written(file)}\0".encode(errors="replace"))
    return digest.hexdigest()[:16]


def last_written(source: LogSource) -> float:
    """When the last of its files was written, in seconds since the epoch; 0 where none tells."""
    return max((_written(file) for file in source.files), default=0.0)


def log_bytes(source: LogSource) -> int:
    """The bytes of its files; those that are gone have none."""
    return sum(file_bytes(file) for file in source.files)


def file_bytes(file: LogPath) -> int:
    """A file's bytes; 0 where it is gone."""
    try:
        return size_bytes(file)
    except OSError:
        return 0


def _written(file: LogPath) -> float:
    try:
        return written_at(file)
    except OSError:
        return 0.0
