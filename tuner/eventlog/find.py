"""Which files under a path are event logs, and how they belong together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pickle import PicklingError
from typing import Any
from zipfile import Path as ZipPath

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.location import (
    Entry,
    LogPath,
    entries_in_zip,
    entries_of,
    identity,
    inside_zip,
    is_special,
    on_disk,
    scheme_of,
    shown,
)
from tuner.eventlog.properties import redact

_ROLLED = re.compile(r"^events_(\d{1,9})_(.+?)(?:\.(?:zstd|lz4|snappy|lzf|gz))?(?:\.compact)?(?:\.inprogress)?$")
# What Databricks delivers of one Spark context: `eventlog`, and before it what was rolled over, named by its time.
_DELIVERED = re.compile(r"^eventlog(?:-(\d{4}-\d\d-\d\d--\d\d-\d\d))?(?:\.gz)?$")
MAX_MISSING = 1000  # that are listed: one file of a wild number must not make for millions
_NOT_FOUND = 404
# What Spark takes off when the application ends.
_UNFINISHED = ".inprogress"
_IGNORED_SUFFIXES = (".crc", ".tmp")


@dataclass(frozen=True, slots=True)
class LogSource:
    """One application's (attempt's) log: its files in reading order.

    `missing` lists the indexes of a rolling log that are not there, `named` whether the path given was this very log.
    """

    path: LogPath
    files: tuple[LogPath, ...]
    in_progress: bool
    missing: tuple[int, ...] = ()
    named: bool = True

    def __getstate__(self) -> list[object]:
        if isinstance(self.path, ZipPath):
            # An open file goes to no other process, and Python 3.11 finds that out behind all that the zip file lists.
            raise PicklingError(f"{shown(self.path)}: a log in a zip file is read by the process that has that open")
        return [getattr(self, name) for name in self.__slots__]

    @property
    def compacted(self) -> bool:
        """Whether Spark has left out of it what had ended by then: jobs, and executors that were gone."""
        return ".compact" in self.files[0].name

    @property
    def delivered(self) -> bool:
        """Whether it is one of Databricks', whose names do not tell if it goes on."""
        return _DELIVERED.match(self.files[-1].name) is not None


def find_logs(path: LogPath, *, in_zips: bool = True) -> list[LogSource]:
    """The event logs at `path`: a file, the directory of a rolling log or of a Databricks one, or a tree that holds any; also
    those `in_zips`.

    Raises EventLogNotFoundError when the path does not exist or holds no file that could be a log.
    """
    try:
        return without_unfinished_copies(_find(path, in_zips))
    except (EventLogNotFoundError, OSError):
        raise
    except Exception as error:  # a remote file system's own: no credentials, no such bucket, no network
        raise EventLogNotFoundError(redact(f"{shown(path)}: cannot be listed: {error}")) from error


def without_unfinished_copies(sources: Iterable[LogSource]) -> list[LogSource]:
    """Without what lies beside a log as it was while that was still written: so does `aws s3 sync` leave it in a copy."""
    found = list(sources)
    names = {str(source.path) for source in found}
    return [s for s in found if (whole := str(s.path).removesuffix(_UNFINISHED)) == str(s.path) or whole not in names]


def _find(path: LogPath, in_zips: bool) -> list[LogSource]:
    if not path.exists():
        raise EventLogNotFoundError(f"{shown(path)}: {_why_not_there(path)}")
    if not path.is_dir():
        return list(_file(Entry(path), in_zips, named=True))
    logs, others = _split(path, entries_of(path))
    sources = [replace(log, named=len(logs) == 1) for log in logs]
    sources += _walk(others, {identity(path)}, in_zips)
    if not sources:
        raise EventLogNotFoundError(
            f"{shown(path)}: no event log in this directory; give spark.eventLog.dir, or a log file or eventlog_v2_… directory"
        )
    return sources


def _why_not_there(path: LogPath) -> str:
    """Where a server has its own word on that, it is told: fsspec's `exists` says no to whatever goes wrong."""
    if not (on_disk(path) or isinstance(path, ZipPath)):
        remote: Any = path
        try:
            remote.fs.info(remote.path)
        except Exception as error:
            if said := _not_but_missing(error, scheme_of(str(path))):
                return redact(f"cannot be read: {said}")
    return "no such file or directory"


def _not_but_missing(error: Exception, scheme: str) -> BaseException | None:
    """What went wrong, where that is not that nothing is there."""
    if not isinstance(error, FileNotFoundError):
        return error
    # fsspec makes this of whatever a web server answers.
    said = error.__cause__ if scheme in ("http", "https") else None
    return None if getattr(said, "status", None) == _NOT_FOUND else said


def _walk(
    entries: list[Entry], seen: set[str], in_zips: bool, listed: Callable[[LogPath], list[Entry]] = entries_of
) -> Iterator[LogSource]:
    """The logs in files and trees, in the order of their names; each directory once, whatever links lead to it."""
    waiting = entries[::-1]
    while waiting:
        entry = waiting.pop()
        if entry.name.startswith("."):
            continue
        try:
            if not entry.is_dir():
                if _may_be_log(entry):
                    yield from _file(entry, in_zips, named=False)
            elif (place := identity(entry.path)) not in seen:
                seen.add(place)
                logs, others = _split(entry.path, listed(entry.path))
                yield from logs
                waiting.extend(reversed(others))
        except (OSError, RuntimeError):  # not allowed in: reading it as a file tells why, and its siblings go on
            yield _single(entry.path, named=False)


def _file(file: Entry, in_zips: bool, *, named: bool) -> Iterator[LogSource]:
    """A log in one file; of a zip file, such as the history server gives out, the logs in it."""
    root = inside_zip(file.path) if in_zips and not isinstance(file.path, ZipPath) and file.is_file() else None
    if root is None:
        yield _single(file.path, named=named)
        return
    listed = entries_in_zip(root)
    logs, others = _split(root, listed(root))
    yield from (replace(log, named=named) for log in logs)
    yield from _walk(others, set(), in_zips, listed)


def _split(directory: LogPath, entries: Iterable[Entry]) -> tuple[list[LogSource], list[Entry]]:
    """The logs that lie in a directory as several files, and what else is in it."""
    rolled: dict[str, list[tuple[int, LogPath]]] = {}
    delivered: list[tuple[str, Entry]] = []
    others: list[Entry] = []
    for entry in entries:
        if entry.name.endswith(_IGNORED_SUFFIXES) or is_special(entry.path):
            continue
        if match := _ROLLED.match(entry.name):
            rolled.setdefault(match[2], []).append((int(match[1]), entry.path))
        elif match := _DELIVERED.match(entry.name):
            delivered.append((match[1] or "~", entry))  # the undated one comes last
        else:
            others.append(entry)
    alone = len(rolled) == 1
    statuses = [entry.name for entry in others if entry.name.startswith("appstatus_")]
    logs = [
        _rolling(directory if alone else files[0][1], files, _is_open(app, statuses, alone=alone))
        for app, files in sorted(rolled.items())
    ]
    if len(delivered) > 1:
        files = tuple(file.path for _, file in sorted(delivered, key=lambda dated: dated[0]))
        logs.append(LogSource(files[-1] if rolled else directory, files, _may_go_on(files[-1].name), named=False))
    else:
        others += [file for _, file in delivered]
    return logs, others


def _is_open(app: str, statuses: list[str], *, alone: bool) -> bool:
    """Whether the status file of a rolling log, by the name of its application, says that it goes on, and none that it ended."""
    own = statuses if alone else [name for name in statuses if name.removesuffix(_UNFINISHED) == f"appstatus_{app}"]
    return any(name.endswith(_UNFINISHED) and name.removesuffix(_UNFINISHED) not in own for name in own)


def may_be_log_name(name: str) -> bool:
    """Whether a file of this name can be an event log: it is neither hidden nor of those that lie beside logs."""
    return not (name.startswith((".", "appstatus_")) or name.endswith(_IGNORED_SUFFIXES))


def _may_be_log(file: Entry) -> bool:
    if not may_be_log_name(file.name):
        return False
    try:
        return file.size_bytes() > 0
    except OSError:  # a link to nowhere, or renamed just now
        return False


def _rolling(path: LogPath, files: list[tuple[int, LogPath]], in_progress: bool) -> LogSource:
    indexed = sorted(files, key=lambda rolled: (rolled[0], rolled[1].name))
    compacted = [i for i, f in indexed if f.name.removesuffix(_UNFINISHED).endswith(".compact")]
    if compacted:
        # EventLogFileCompactor folds everything up to an index into its .compact file.
        last = max(compacted)
        indexed = [(i, f) for i, f in indexed if i > last or (i == last and ".compact" in f.name)]
    present = [i for i, _ in indexed]
    first = present[0] if compacted else 1
    there = set(present)
    missing = islice((i for i in range(first, present[-1] + 1) if i not in there), MAX_MISSING)
    return LogSource(path, tuple(f for _, f in indexed), in_progress, tuple(missing), named=False)


def _single(file: LogPath, *, named: bool) -> LogSource:
    return LogSource(file, (file,), _may_go_on(file.name), named=named)


def _may_go_on(name: str) -> bool:
    """Whether the last file of a log is named as one that is still written: Databricks' newest is named so for good."""
    return name.endswith(_UNFINISHED) or name == "eventlog"
