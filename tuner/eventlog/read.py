"""One event log to one `Application`, as a stream: memory does not grow with the log's bytes."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.eventlog.codec import DATA_ERRORS, UnsupportedCodecError, open_plain
from tuner.eventlog.events import UNREADABLE, decode_event
from tuner.eventlog.find import LogSource
from tuner.eventlog.fold import ApplicationFold
from tuner.eventlog.location import LogPath, open_log, shown
from tuner.eventlog.model import Application, Problem, ProblemCode
from tuner.eventlog.properties import redact

MAX_LINE_BYTES = 256 << 20
MAX_PROBLEMS_PER_FILE = 20
_UNFINISHED = {
    True: "the application is still writing, or was killed",
    False: "the application was killed, or the file was not copied whole",
}


class _Problems:
    """The problems of one log, of each file the first few."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self._dropped: dict[str, int] = {}

    def add(self, file: LogPath, line: int, code: ProblemCode, message: str, *, retryable: bool = False) -> None:
        name = shown(file)
        if sum(p.file == name for p in self.found) < MAX_PROBLEMS_PER_FILE:
            self.found.append(Problem(name, line, code, message, retryable))
        else:
            self._dropped[name] = self._dropped.get(name, 0) + 1

    def no_events(self, file: LogPath, lines: int) -> None:
        """One problem in place of one for each line of a file that is something else."""
        name = shown(file)
        self.found = [p for p in self.found if p.file != name]
        self._dropped.pop(name, None)
        self.add(file, lines, ProblemCode.NO_EVENTS, f"no Spark event in the first {lines} lines: not an event log")

    def all(self) -> tuple[Problem, ...]:
        more = (
            Problem(f, 0, ProblemCode.MORE_PROBLEMS, f"{n} more problems in this file")
            for f, n in self._dropped.items()
        )
        return (*self.found, *more)


def read_application(source: LogSource) -> Application:
    """Read a log to its end, or to where it breaks off. Never raises for what the files hold: see `problems`."""
    fold, problems = ApplicationFold(shown(source.path)), _Problems()
    for index in source.missing:
        problems.add(
            source.path,
            0,
            ProblemCode.MISSING_FILE,
            f"events_{index}_… of this rolling log is not there",
            retryable=source.in_progress,
        )
    lines = 0
    for position, file in enumerate(source.files):
        last = position == len(source.files) - 1
        lines = _read_file(file, fold, problems, open_ended=source.in_progress and last)
    if not problems.found:
        _check_ends(source, lines, fold, problems)
    return fold.result(problems.all())


def _check_ends(source: LogSource, lines: int, fold: ApplicationFold, problems: _Problems) -> None:
    """Say so where a log that reads well still has no beginning or no end."""
    if not fold.events:
        problems.add(source.path, 0, ProblemCode.NO_EVENTS, "no Spark event in this file", retryable=source.in_progress)
    elif not fold.started:
        problems.add(source.files[0], 1, ProblemCode.TRUNCATED, "the application's start is not in this log")
    elif not fold.ended:
        message = "the log ends before the application does: " + _UNFINISHED[source.in_progress]
        problems.add(source.files[-1], lines, ProblemCode.TRUNCATED, message, retryable=source.in_progress)


def _read_file(file: LogPath, fold: ApplicationFold, problems: _Problems, *, open_ended: bool) -> int:
    """Take in the events of a file; the number of its last line."""
    number, parsed, bad = 0, 0, 0
    try:
        for number, line in _lines(file):
            try:
                event = decode_event(line)
            except UNREADABLE as error:
                if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
                    message = "the last line is cut off: " + _UNFINISHED[open_ended]
                    problems.add(file, number, ProblemCode.TRUNCATED, message, retryable=open_ended)
                    continue
                problems.add(file, number, ProblemCode.BAD_LINE, f"not a readable event: {redact(str(error))}")
                bad += 1
                if not parsed and bad >= MAX_PROBLEMS_PER_FILE:
                    break
                continue
            parsed += 1
            if event is not None:
                fold.add(event)
        if bad and not parsed:
            problems.no_events(file, number)
    except UnsupportedCodecError as error:
        problems.add(file, 0, ProblemCode.UNSUPPORTED_CODEC, str(error))
    except EOFError as error:
        problems.add(
            file, number + 1, ProblemCode.TRUNCATED, f"{error}: {_UNFINISHED[open_ended]}", retryable=open_ended
        )
    except DATA_ERRORS as error:
        code = ProblemCode.UNREADABLE_FILE if isinstance(error, OSError) and error.errno else ProblemCode.CORRUPT_DATA
        message = (
            f"cannot be read any further: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
        )
        problems.add(file, number + 1, code, message, retryable=open_ended)
    return number


def _lines(file: LogPath) -> Iterator[tuple[int, bytes]]:
    with open_log(file) as raw:
        plain = open_plain(raw, file.name)
        number = 0
        while line := plain.readline(MAX_LINE_BYTES):
            number += 1
            if line != b"\n":
                yield number, line
