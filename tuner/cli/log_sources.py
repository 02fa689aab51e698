"""The event logs behind the paths of a command line; a path without any is told, on stderr, and stops nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path
from tuner.printable import printable


def on_stderr(line: str) -> None:
    print(f"spark-tuner: {printable(line)}", file=sys.stderr)


def log_sources(
    paths: Iterable[str], out: str | None = None, tell: Callable[[str], None] = on_stderr
) -> tuple[list[LogSource], int]:
    """The logs at the paths, and how many paths there are without any. What lies in `out` is no log."""
    written = f"{Path(out).absolute()}/" if out else None
    found: list[LogSource] = []
    failures = 0
    for path in paths:
        try:
            place = log_path(path)
            # Workers have working directories of their own.
            logs = find_logs(place.absolute() if isinstance(place, Path) else place)
            found += [log for log in logs if written is None or not str(log.path).startswith(written)]
        except (EventLogNotFoundError, OSError) as error:
            failures += 1
            tell(str(error))
    return found, failures
