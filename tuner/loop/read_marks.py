"""Marks of logs that are being read. One that a reader did not live to take away warns the next of this log."""

from __future__ import annotations

import atexit
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.location import log_path, on_disk, open_log
from tuner.loop.event_log_place import of_key
from tuner.loop.turn import JobToRun
from tuner.own_files import make_directory
from tuner.whole_file import put_whole

if TYPE_CHECKING:
    from upath import UPath

# Of so many readers no other follows: memory that the kernel takes costs the task that reads.
MOST_DEATHS = 3
# The next reader may be another user.
_FOR_ALL = 0o644
# What takes away the marks of this process.
_own: list[Callable[[], None]] = []


def has_killed_its_readers(job: JobToRun, key: str) -> bool:
    """Whether so many began to read the log of the run `key`, an earlier one of the job's cohort, and have not come to its end:
    they were ended while they did, or are at it just now."""
    return _deaths(job, key) >= MOST_DEATHS


@contextmanager
def marked(job: JobToRun, key: str) -> Iterator[None]:
    """Marks the log of the run `key` as being read, where the job's event logs go. Fails open: without a mark it is read, too.

    A process that ends by itself before it has read all takes its mark away: reading goes on in a thread that nobody waits for.
    """
    with suppress(Exception):
        _write(_mark(job, key), _deaths(job, key) + 1)
    take_away = partial(_take_away, job, key)
    _own.append(take_away)
    atexit.register(take_own_marks_away)
    try:
        yield
    finally:
        with suppress(ValueError):
            _own.remove(take_away)
        if not _own:
            atexit.unregister(take_own_marks_away)
        unmark(job, key)


def take_own_marks_away() -> None:
    """Takes away the marks of this process, which ends for another reason than what it reads. Never raises."""
    with suppress(IndexError):
        while True:
            _own.pop()()


def _take_away(job: JobToRun, key: str) -> None:
    """One of them: of others that were ended while they read the log the warning stays."""
    others = _deaths(job, key) - 1
    if others <= 0:
        unmark(job, key)
        return
    with suppress(Exception):
        _write(_mark(job, key), others)


def unmark(job: JobToRun, key: str) -> None:
    """Takes the mark of the run `key` away, if there is one. Never raises."""
    with suppress(Exception):
        _mark(job, key).unlink()


def _deaths(job: JobToRun, key: str) -> int:
    """The bytes of the mark: one for each that began to read and has not ended."""
    try:
        mark = _mark(job, key)
        if on_disk(mark):
            return _bytes_of(mark)
        with open_log(mark) as opened:
            return len(opened.read(MOST_DEATHS))
    except Exception:
        return 0


def _bytes_of(mark: Path) -> int:
    """As many as count. Others may write in a shared directory: a link or a pipe there is no mark, and is not waited for."""
    descriptor = os.open(mark, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return len(os.read(descriptor, MOST_DEATHS)) if is_file else 0
    finally:
        os.close(descriptor)


def _write(mark: Path | UPath, deaths: int) -> None:
    if on_disk(mark):
        make_directory(mark.parent)
        try:
            put_whole(mark, bytes(deaths), _FOR_ALL)
        except OSError:  # Mounts of buckets may have no modes, or no renames.
            _put_plainly(mark, bytes(deaths))
    else:
        mark.write_bytes(bytes(deaths))


def _put_plainly(mark: Path, content: bytes) -> None:
    """The content in a new file, which no link of others leads elsewhere."""
    mark.unlink(missing_ok=True)
    descriptor = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FOR_ALL)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)


def _mark(job: JobToRun, key: str) -> Path | UPath:
    """Readers of logs pass over hidden files."""
    if not job.event_log_base:
        raise EventLogNotFoundError("no event_log_base was set for this job")
    base = cast("Path | UPath", log_path(job.event_log_base, job.access))
    return base / f".spark-tuner-reads{of_key(key)}"
