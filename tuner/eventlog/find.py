"""Which files under a path are event logs, and how they belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from zipfile import Path as ZipPath

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.location import LogPath, children, identity, inside_zip, is_special, shown, size_bytes
from tuner.eventlog.properties import redact

_ROLLED = re.compile(r"^events_(\d{1,9})_(.+?)(?:\.(?:zstd|lz4|snappy|lzf|gz))?(?:\.compact)?(?:\.inprogress)?$")
# What Databricks delivers of one Spark context: `eventlog`, and before it what was rolled over, named by its time.
_DELIVERED = re.compile(r"^eventlog(?:-(\d{4}-\d\d-\d\d--\d\d-\d\d))?(?:\.gz)?$")
MAX_MISSING = 1000  # that are listed: one file of a wild number must not make for millions
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


def find_logs(path: LogPath) -> list[LogSource]:
    """The event logs at `path`: a file, the directory of a rolling log or of a Databricks one, or a tree that holds any.

    Raises EventLogNotFoundError when the path does not exist or holds no file that could be a log.
    """
    try:
        return _find(path)
    except (EventLogNotFoundError, OSError):
        raise
    except Exception as error:  # a remote file system's own: no credentials, no such bucket, no network
        raise EventLogNotFoundError(redact(f"{shown(path)}: cannot be listed: {error}")) from error


def _find(path: LogPath) -> list[LogSource]:
    if not path.exists():
        raise EventLogNotFoundError(f"{shown(path)}: no such file or directory")
    if not path.is_dir():
        return list(_file(path, named=True))
    whole = _one_log(path, named=True)
    sources = [whole] if whole else list(_walk(path))
    if not sources:
        raise EventLogNotFoundError(
            f"{shown(path)}: no event log in this directory; give spark.eventLog.dir, or a log file or eventlog_v2_… directory"
        )
    return sources


def _walk(directory: LogPath) -> Iterator[LogSource]:
    """The logs in a tree, in the order of their names; each directory once, whatever links lead to it."""
    seen = {identity(directory)}
    waiting = list(reversed(children(directory)))
    while waiting:
        entry = waiting.pop()
        if entry.name.startswith("."):
            continue
        try:
            if not entry.is_dir():
                if _may_be_log(entry):
                    yield from _file(entry, named=False)
            elif (place := identity(entry)) not in seen:
                seen.add(place)
                if whole := _one_log(entry, named=False):
                    yield whole
                else:
                    waiting.extend(reversed(children(entry)))
        except (OSError, RuntimeError):  # not allowed in: reading it as a file tells why, and its siblings go on
            yield _single(entry, named=False)


def _file(file: LogPath, *, named: bool) -> Iterator[LogSource]:
    """A log in one file; of a zip file, such as the history server gives out, the logs in it."""
    root = None if isinstance(file, ZipPath) or not file.is_file() else inside_zip(file)
    if root is None:
        yield _single(file, named=named)
    elif whole := _one_log(root, named=named):
        yield whole
    else:
        yield from _walk(root)


def _one_log(directory: LogPath, *, named: bool) -> LogSource | None:
    """The log whose files a directory holds, if it is that of one application."""
    if _rolled_files(directory):
        return _rolling(directory, named=named)
    if len(delivered := _delivered_files(directory)) > 1:
        return LogSource(directory, delivered, in_progress=delivered[-1].name == "eventlog", named=named)
    return None


def _delivered_files(directory: LogPath) -> tuple[LogPath, ...]:
    """The files of a Databricks log in the order of their times, the undated one last."""
    matches = ((_DELIVERED.match(file.name), file) for file in directory.iterdir())
    dated = ((match[1] or "~", file) for match, file in matches if match and not is_special(file))
    return tuple(file for _, file in sorted(dated, key=lambda delivered: delivered[0]))


def _may_be_log(file: LogPath) -> bool:
    if file.name.endswith(_IGNORED_SUFFIXES) or file.name.startswith("appstatus_"):
        return False
    try:
        return size_bytes(file) > 0
    except OSError:  # a link to nowhere, or renamed just now
        return False


def _rolled_files(directory: LogPath) -> list[tuple[int, LogPath]]:
    matches = ((_ROLLED.match(f.name), f) for f in directory.iterdir() if not f.name.endswith(_IGNORED_SUFFIXES))
    return sorted(
        ((int(match[1]), file) for match, file in matches if match and not is_special(file)),
        key=lambda rolled: (rolled[0], rolled[1].name),
    )


def _rolling(directory: LogPath, *, named: bool) -> LogSource:
    indexed = _rolled_files(directory)
    compacted = [i for i, f in indexed if f.name.removesuffix(".inprogress").endswith(".compact")]
    if compacted:
        # EventLogFileCompactor folds everything up to an index into its .compact file.
        last = max(compacted)
        indexed = [(i, f) for i, f in indexed if i > last or (i == last and ".compact" in f.name)]
    present = [i for i, _ in indexed]
    first = present[0] if compacted else 1
    there = set(present)
    missing = islice((i for i in range(first, present[-1] + 1) if i not in there), MAX_MISSING)
    status = any(f.name.startswith("appstatus_") and f.name.endswith(".inprogress") for f in directory.iterdir())
    return LogSource(directory, tuple(f for _, f in indexed), status, tuple(missing), named)


def _single(file: LogPath, *, named: bool) -> LogSource:
    return LogSource(file, (file,), file.name.endswith(".inprogress"), named=named)
