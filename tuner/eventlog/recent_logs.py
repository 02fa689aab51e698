"""Which entries of a shared event log directory may hold a run's log, the latest first. The directory is listed once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tuner.eventlog.find import may_be_log_name
from tuner.eventlog.location import LogPath, in_seconds, on_disk

# RollingEventLogFilesWriter.EVENT_LOG_DIR_NAME_PREFIX: Spark makes no other directories there.
_ROLLING = "eventlog_v2_"
# Databricks delivers what a cluster logs to a directory that is named after it, and a cluster after the time when it was made,
# without its year; event logs lie in one below that.
_CLUSTER = re.compile(r"(\d{4}-\d{6})-\w[\w-]*")
_LOGS_OF_CLUSTER = "eventlog"
_MOST_YEARS = 5  # until there is a 29th of February again, but for 2100
# What fsspec's file systems call the time of the last change.
_WRITTEN = ("mtime", "LastModified", "last_modified", "updated", "modificationTime", "created")
# For what does not tell when it was written.
_ANY_TIME = float("inf")


def recent_logs(directory: LogPath, since_seconds: float) -> list[LogPath]:
    """Files and rolling logs right in `directory` that were written since (epoch), and those of Databricks' clusters that were
    made since. Raises OSError where it cannot be listed.
    """
    entries = _on_disk(directory) if on_disk(directory) else _elsewhere(directory)
    found = [(written, name) for written, name in entries if written >= since_seconds and may_be_log_name(name)]
    return [directory / name for _, name in sorted(found, reverse=True)]


def _on_disk(directory: Path) -> Iterator[tuple[float, str]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            try:
                if entry.is_dir() and (made := _made_at(entry.name)) is not None:
                    yield made, f"{entry.name}/{_LOGS_OF_CLUSTER}"
                elif entry.is_file() or (entry.is_dir() and entry.name.startswith(_ROLLING)):
                    yield entry.stat().st_mtime, entry.name
            except OSError:  # gone, or renamed just now
                continue


def _elsewhere(directory: Any) -> Iterator[tuple[float, str]]:
    """By all files below: in an object store a directory has no time of its own."""
    from upath import UPath

    assert isinstance(directory, UPath)
    if clusters := list(_clusters(_listed(directory))):
        # Whatever they log lies below, and some file systems list each directory by itself.
        return iter(clusters)
    root = directory.path.strip("/") + "/"
    latest: dict[str, float] = {}
    for name, info in directory.fs.find(directory.path, detail=True).items():
        entry, _, below = name.lstrip("/").removeprefix(root).partition("/")
        if not below or entry.startswith(_ROLLING):
            latest[entry] = max(latest.get(entry, 0.0), _written(info))
    return ((written, entry) for entry, written in latest.items())


def _listed(directory: Any) -> Iterable[Mapping[str, Any]]:
    try:
        listed: list[Mapping[str, Any]] = directory.fs.ls(directory.path, detail=True)
    except FileNotFoundError:
        return ()
    return listed


def _clusters(listed: Iterable[Mapping[str, Any]]) -> Iterator[tuple[float, str]]:
    for info in listed:
        name = str(info["name"]).rstrip("/").rpartition("/")[2]
        if info["type"] == "directory" and (made := _made_at(name)) is not None:
            yield made, f"{name}/{_LOGS_OF_CLUSTER}"


def _made_at(name: str) -> float | None:
    """When the cluster of a name was made: the latest moment that its name may tell; None for what is none."""
    cluster = _CLUSTER.fullmatch(name)
    # Clocks may differ.
    latest = datetime.now(UTC) + timedelta(days=1)
    for year in range(latest.year, latest.year - _MOST_YEARS, -1) if cluster else ():
        with suppress(ValueError):
            made = datetime.strptime(f"{year}{cluster[1]}+0000", "%Y%m%d-%H%M%S%z")  # type: ignore[index]
            if made <= latest:
                return made.timestamp()
    return None


def _written(info: Mapping[str, Any]) -> float:
    told = next((info[name] for name in _WRITTEN if info.get(name) is not None), None)
    if isinstance(told, datetime):
        return told.timestamp()
    return in_seconds(told, info) if isinstance(told, (int, float)) else _ANY_TIME
