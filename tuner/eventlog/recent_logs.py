"""Which entries of a shared event log directory may hold a run's log, the latest first. The directory is listed once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from tuner.eventlog.find import may_be_log_name
from tuner.eventlog.location import LogPath, on_disk

# RollingEventLogFilesWriter.EVENT_LOG_DIR_NAME_PREFIX: Spark makes no other directories there.
_ROLLING = "eventlog_v2_"
# What fsspec's file systems call the time of the last change.
_WRITTEN = ("mtime", "LastModified", "last_modified", "updated", "modificationTime", "created")
# For what does not tell when it was written.
_ANY_TIME = float("inf")


def recent_logs(directory: LogPath, since_seconds: float) -> list[LogPath]:
    """Files and rolling logs right in `directory` that were written since (epoch). Raises OSError where it cannot be listed."""
    entries = _on_disk(directory) if on_disk(directory) else _elsewhere(directory)
    found = [(written, name) for written, name in entries if written >= since_seconds and may_be_log_name(name)]
    return [directory / name for _, name in sorted(found, reverse=True)]


def _on_disk(directory: Path) -> Iterator[tuple[float, str]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            try:
                if entry.is_file() or (entry.is_dir() and entry.name.startswith(_ROLLING)):
                    yield entry.stat().st_mtime, entry.name
            except OSError:  # gone, or renamed just now
                continue


def _elsewhere(directory: Any) -> Iterator[tuple[float, str]]:
    """By all files below: in an object store a directory has no time of its own."""
    from upath import UPath

    assert isinstance(directory, UPath)
    root = directory.path.strip("/") + "/"
    latest: dict[str, float] = {}
    for name, info in directory.fs.find(directory.path, detail=True).items():
        entry, _, below = name.lstrip("/").removeprefix(root).partition("/")
        if not below or entry.startswith(_ROLLING):
            latest[entry] = max(latest.get(entry, 0.0), _written(info))
    return ((written, entry) for entry, written in latest.items())


def _written(info: Mapping[str, Any]) -> float:
    told = next((info[name] for name in _WRITTEN if info.get(name) is not None), None)
    if isinstance(told, datetime):
        return told.timestamp()
    return float(told) if isinstance(told, (int, float)) else _ANY_TIME
