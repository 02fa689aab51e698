"""The event logs behind the paths of a command line; a path without any is told, on stderr, and stops nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs, without_unfinished_copies
from tuner.eventlog.location import LogPath, log_path, on_disk
from tuner.printable import printable


def on_stderr(line: str) -> None:
    print(f"spark-tuner: {printable(line)}", file=sys.stderr)


def log_sources(
    paths: Iterable[str], out: str | None = None, tell: Callable[[str], None] = on_stderr
) -> tuple[list[LogSource], int]:
    """The logs at the paths, each once, and how many paths there are without any. What lies in `out` is no log."""
    written = _written(out) if out else None
    found: dict[str, LogSource] = {}
    failures = 0
    for path in paths:
        try:
            for log in find_logs(_absolute(log_path(path))):
                if written is None or not str(log.path).startswith(written):
                    other = found.get(name := _identity(log))
                    found[name] = log if other is None or not other.named else other
        except (EventLogNotFoundError, OSError) as error:
            failures += 1
            tell(str(error))
    return without_unfinished_copies(found.values()), failures


def _identity(log: LogSource) -> str:
    """The same for one log, whatever paths lead to it."""
    return str(log.path.resolve() if on_disk(log.path) else log.path)


def _absolute(place: LogPath) -> LogPath:
    """Workers have working directories of their own."""
    return place.absolute() if on_disk(place) else place


def _written(out: str) -> str | None:
    """What the paths of tables written there begin with; None where no log can lie there, for nothing here reads such URLs."""
    try:
        return f"{str(_absolute(log_path(out))).rstrip('/')}/"
    except EventLogNotFoundError:
        return None
