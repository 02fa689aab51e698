"""The applications behind the paths of a command line; what cannot be read is told on stderr and stops nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path, shown
from tuner.eventlog.model import Application, Completeness
from tuner.eventlog.read import read_application


class LogReader:
    """Reads the logs of several paths one after the other; `failures` counts what was asked for and could not be read."""

    def __init__(self) -> None:
        self.failures = 0

    def read(self, paths: Iterable[str]) -> Iterator[Application]:
        """Each application, also partial ones. Files of a directory that hold no Spark events are passed over, and named."""
        for path in paths:
            try:
                place = log_path(path)
                sources = find_logs(place)
            except (EventLogNotFoundError, OSError) as error:
                self._fail(str(error))
                continue
            yield from self._read_sources(shown(place), sources)

    def _read_sources(self, path: str, sources: list[LogSource]) -> Iterator[Application]:
        passed_over = []
        for source in sources:
            application = read_application(source)
            if application.status is not Completeness.FAILED:
                yield application
            elif _holds_no_events(application) and not source.named:
                passed_over.append(source.path.name)
            else:
                yield application
                self._fail(f"{shown(source.path)}: {application.problems[0].message}")
        if passed_over:
            told = ", ".join(passed_over[:5]) + (f" and {len(passed_over) - 5} more" if len(passed_over) > 5 else "")
            if len(passed_over) == len(sources):
                self._fail(f"{path}: no event log in this directory, only {told}")
            else:
                _say(f"{path}: passed over, not event logs: {told}")

    def _fail(self, message: str) -> None:
        self.failures += 1
        _say(message)


def _holds_no_events(application: Application) -> bool:
    return all(problem.code in ("bad_line", "no_events", "truncated") for problem in application.problems)


def _say(message: str) -> None:
    print(f"spark-tuner: {message}", file=sys.stderr)
