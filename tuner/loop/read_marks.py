"""Marks of logs that are being read. One that a reader did not live to take away warns the next of this log."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.location import log_path, on_disk
from tuner.loop.event_log_place import of_key
from tuner.loop.turn import JobToRun

if TYPE_CHECKING:
    from upath import UPath

# Of so many readers no other follows: memory that the kernel takes costs the task that reads.
MOST_DEATHS = 3
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
        mark = _mark(job, key)
        if on_disk(mark):
            mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_bytes(bytes(_deaths(job, key) + 1))
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
        _mark(job, key).write_bytes(bytes(others))


def unmark(job: JobToRun, key: str) -> None:
    """Takes the mark of the run `key` away, if there is one. Never raises."""
    with suppress(Exception):
        _mark(job, key).unlink()


def _deaths(job: JobToRun, key: str) -> int:
    """The bytes of the mark: one for each that began to read and has not ended."""
    try:
        return len(_mark(job, key).read_bytes())
    except Exception:
        return 0


def _mark(job: JobToRun, key: str) -> Path | UPath:
    """Readers of logs pass over hidden files."""
    if not job.event_log_base:
        raise EventLogNotFoundError("no event_log_base was set for this job")
    base = cast("Path | UPath", log_path(job.event_log_base, job.access))
    return base / f".spark-tuner-reads{of_key(key)}"
