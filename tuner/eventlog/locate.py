"""The event log of one run among the logs of a directory, by the key it was submitted with."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from tuner.errors import EventLogNotFoundError, EventLogUnreadError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import AMBIENT, LogPath, log_path, on_disk, open_log, shown
from tuner.eventlog.properties import redact
from tuner.eventlog.read import read_application, starting_conf
from tuner.eventlog.recent_logs import recent_logs
from tuner.model.application import Application
from tuner.spark.run_tags import KEY, key_in
from tuner.within_time import within

# A task waits no longer for a directory that holds the logs of many others.
MAX_SEARCH_SECONDS = 30.0


def locate(
    directory: str,
    key: str,
    since_seconds: float,
    most_seconds: float = MAX_SEARCH_SECONDS,
    access: Mapping[str, Any] = AMBIENT,
) -> Application:
    """The application with this key, the latest of several that there is time for. Logs not written since `since_seconds`
    (epoch) are not opened, of the others only the beginnings are read. `access` is as of `log_path`.

    Raises EventLogNotFoundError when the directory or the log is not there, or is not found in `most_seconds`, and
    EventLogUnreadError where that cannot be told.
    """
    return read_application(find_log(directory, key, since_seconds, most_seconds, access))


def find_log(
    directory: str,
    key: str,
    since_seconds: float,
    most_seconds: float = MAX_SEARCH_SECONDS,
    access: Mapping[str, Any] = AMBIENT,
    *,
    is_tree: bool = False,
) -> LogSource:
    """The log that `locate` reads; where it `is_tree` and nothing lies right there, one that does below. Raises as that does."""
    path, until = log_path(directory, access), monotonic() + most_seconds
    unread: list[Exception] = []
    elsewhere = False
    for found, source in _by_key(path, since_seconds, most_seconds, unread, is_tree=is_tree):
        if found == key and _lies_in(path, source):
            return source
        elsewhere = elsewhere or found == key
        if monotonic() > until:
            raise EventLogNotFoundError(
                f"{shown(path)}: no event log with {KEY}={key} found in {most_seconds:g} s among those "
                "written since the run began; give its job an event log directory with fewer logs"
            )
    if unread:
        raise EventLogUnreadError(redact(f"{shown(path)}: cannot be read: {unread[0]}")) from unread[0]
    if elsewhere:
        raise EventLogNotFoundError(
            f"{shown(path)}: of the event log with {KEY}={key} files are links that lead out of it, and may be another job's; "
            "have all of them in that directory"
        )
    raise EventLogNotFoundError(
        f"{shown(path)}: no event log with {KEY}={key}; the job may have ended before Spark started"
    )


def logs_by_key(
    directory: str,
    keys: Collection[str],
    since_seconds: float,
    most_seconds: float = MAX_SEARCH_SECONDS,
    access: Mapping[str, Any] = AMBIENT,
) -> dict[str, LogSource]:
    """The logs with these keys, as `find_log` finds each, from one look through the directory: those that it comes to in
    `most_seconds`. Raises as `find_log` where the directory cannot be listed.
    """
    until, wanted = monotonic() + most_seconds, set(keys)
    found: dict[str, LogSource] = {}
    path = log_path(directory, access)
    for key, source in _by_key(path, since_seconds, most_seconds, []):
        if key in wanted and key not in found and _lies_in(path, source):
            found[key] = source
        if len(found) == len(wanted) or monotonic() > until:
            break
    return found


def _by_key(
    path: LogPath, since_seconds: float, most_seconds: float, unread: list[Exception], *, is_tree: bool = False
) -> Iterator[tuple[str, LogSource]]:
    """The logs there with their keys ("" where the beginning tells none), in the order of `_from_both_ends`; what keeps one from
    being looked at goes to `unread`."""
    entries = _entries(path, since_seconds, most_seconds) or ([path] if is_tree else [])
    for source in _sources(_from_both_ends(entries, most_seconds / 2), unread):
        conf = starting_conf(source)
        if not conf:
            unread.extend(_obstacles(source))
        yield key_in(conf), source


def _sources(entries: Iterable[LogPath], unread: list[Exception]) -> Iterator[LogSource]:
    """The logs there, but for those in zip files, which Spark writes none of; what keeps one from being looked at goes to
    `unread`."""
    for entry in entries:
        try:
            yield from find_logs(entry, in_zips=False)
        except (EventLogNotFoundError, FileNotFoundError):  # renamed just now, or holds nothing yet
            continue
        except OSError as error:
            unread.append(error)


def _from_both_ends(entries: Sequence[LogPath], seconds: float) -> Iterator[LogPath]:
    """The first of them for so many seconds, as one that has just ended is among the latest; then the last, as one from an
    earlier night was written soon after its run began."""
    waiting, until = deque(entries), monotonic() + seconds
    while waiting:
        yield waiting.popleft() if monotonic() < until else waiting.pop()


def _obstacles(source: LogSource) -> Iterator[Exception]:
    """What keeps a log from being read that has nothing to do with what it holds, and may pass."""
    try:
        with open_log(source.files[0]) as file:
            file.read(1)
    except FileNotFoundError:
        return
    except PermissionError as error:
        # On this machine it is another user's, and stays so; elsewhere credentials may have expired.
        if not on_disk(source.path):
            yield error
    except Exception as error:
        yield error


def _lies_in(directory: LogPath, source: LogSource) -> bool:
    """Whether no link has a file of it elsewhere: who may write here could show another team's log as his job's."""
    if not on_disk(directory):
        return True
    place = os.path.realpath(directory)
    return all(on_disk(file) and Path(os.path.realpath(file)).is_relative_to(place) for file in source.files)


def _entries(path: LogPath, since_seconds: float, most_seconds: float) -> list[LogPath]:
    try:
        return within(most_seconds, lambda: recent_logs(path, since_seconds))
    except FileNotFoundError:
        raise EventLogNotFoundError(f"{shown(path)}: no such file or directory") from None
    except Exception as error:  # also a remote file system's own: no credentials, no such bucket, no network
        raise EventLogUnreadError(redact(f"{shown(path)}: cannot be listed: {error}")) from error
