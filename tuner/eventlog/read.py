"""One event log to `Work` and an `Application`, as a stream: memory does not grow with the log's bytes."""

from __future__ import annotations

import gzip
import io
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import msgspec

from tuner.eventlog.application_fold import LONG_BYTES, ApplicationFold
from tuner.eventlog.chunks import CorruptDataError
from tuner.eventlog.codec import DATA_ERRORS, UnsupportedCodecError, open_plain
from tuner.eventlog.collector import Collector
from tuner.eventlog.events import UNREADABLE, EnvironmentUpdate, decode_event
from tuner.eventlog.find import LogSource
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.location import LogPath, open_log, shown
from tuner.eventlog.properties import redact
from tuner.model.application import Application, Completeness, Problem, ProblemCode, Work

MAX_LINE_BYTES = 128 << 20
MAX_SKIPPED_BYTES = 1 << 30  # of a line too long to hold; no event is so long
MAX_PROBLEMS_PER_FILE = 20
_WEIGHED_LINES = 1000  # from one look at how much is open to the next
# SparkContext posts its environment as it starts; before it come the version, the executors that are there and the start.
_STARTING_LINES = 1000
_NOT_EVENTS = {ProblemCode.BAD_LINE, ProblemCode.NO_EVENTS}
# What Spark begins each line of a log with.
_EVENT = b'{"Event":'
_UNFINISHED = {
    True: "the application is still writing, or was killed",
    False: "the application was killed, or the file was not copied whole",
}
# EventLogFileCompactor, SQLEventFilterBuilder.
_COMPACTED = (
    "the history server has compacted this log while its application ran: queries that had ended are left out; set "
    "spark.history.fs.eventLog.rolling.maxFilesToRetain higher there, or leave it out"
)


class _Problems:
    """The problems of one file: the first few, and how many more."""

    def __init__(self, file: LogPath) -> None:
        self._file = shown(file)
        self._found: list[Problem] = []
        self._dropped = 0

    def add(self, line: int, code: ProblemCode, message: str, *, retryable: bool = False) -> None:
        if len(self._found) < MAX_PROBLEMS_PER_FILE:
            self._found.append(Problem(self._file, line, code, message, retryable))
        else:
            self._dropped += 1

    def end(self, lines: int, bad: int, parsed: int) -> None:
        """One problem in place of one for each line of a file that is something else: it has bad lines, and no event."""
        if not bad or parsed:
            return
        self._found, self._dropped = [], 0
        self.add(lines, ProblemCode.NO_EVENTS, f"no Spark event in the first {lines} lines: not an event log")

    def all(self) -> list[Problem]:
        if not self._dropped:
            return self._found
        return [
            *self._found,
            Problem(self._file, 0, ProblemCode.MORE_PROBLEMS, f"{self._dropped} more problems in this file"),
        ]


def read_application(source: LogSource) -> Application:
    """Read a log to its end, or to where it breaks off. Never raises for what the files hold: see `problems`."""
    collector = Collector()
    return collector.into(read_log(source, collector.take))


def read_log(source: LogSource, take: Callable[[Work], None]) -> Application:
    """Like `read_application`, but hands on each execution with its jobs and stages as soon as it has finished."""
    works = stream_log(source)
    while True:
        try:
            take(next(works))
        except StopIteration as end:
            return cast("Application", end.value)


def starting_conf(source: LogSource) -> Mapping[str, Any]:
    """The properties that an application was submitted with, read from the beginning of its log; none where that cannot
    be read, or does not hold them."""
    for event in _first_events(source):
        if isinstance(event, EnvironmentUpdate):
            return event.properties
    return {}


def _first_events(source: LogSource) -> Iterator[msgspec.Struct]:
    """The events at the beginning of a log up to that with the properties, as far as they can be read."""
    try:
        for number, line in _lines(source.files[0]):
            if (event := decode_event(line)) is not None:
                yield event
            if isinstance(event, EnvironmentUpdate) or number >= _STARTING_LINES:
                break
    except (UnsupportedCodecError, EOFError, *UNREADABLE, *DATA_ERRORS):
        pass


def holds_no_events(application: Application) -> bool:
    """Whether what was read is no event log at all, rather than a damaged one."""
    codes = {problem.code for problem in application.problems}
    return application.status is Completeness.FAILED and codes <= _NOT_EVENTS


def stream_log(source: LogSource) -> Generator[Work, None, Application]:
    """What `read_log` hands on, as a generator that returns the application."""
    finished = deque[Work]()
    fold = ApplicationFold(shown(source.path), finished.append)
    for position in range(len(source.files)):
        for _ in _read_file(source, position, fold, finished):
            yield from _drain(finished)
    application = _close(source, fold)
    yield from _drain(finished)
    return application


def stream_piece(source: LogSource, position: int) -> Generator[Work, None, Fragment]:
    """Reads one of the files of a log by itself, and the beginning of its first; returns what did not finish in it, for
    `join_pieces`."""
    finished = deque[Work]()
    head = _head(source) if position else None
    fold = ApplicationFold(shown(source.path), finished.append, piece=True, head=head)
    for _ in _read_file(source, position, fold, finished):
        yield from _drain(finished)
    yield from _drain(finished)
    return fold.fragment


def _head(source: LogSource) -> Fragment:
    """What the beginning of a log tells of its application."""
    fold = ApplicationFold(shown(source.path), lambda _: None, piece=True)
    for event in _first_events(source):
        fold.add(event)
    return fold.fragment


def join_pieces(source: LogSource, pieces: Iterable[Fragment]) -> Generator[Work, None, Application]:
    """What `stream_log` yields besides what `stream_piece` did, from what that left of each file in order."""
    finished = deque[Work]()
    fold = ApplicationFold(shown(source.path), finished.append)
    for piece in pieces:
        try:
            fold.absorb(piece)
            fold.weigh()
        except CorruptDataError as error:
            message = f"cannot be read any further: {error}"
            fold.fragment.problems.append(Problem(shown(source.path), 0, ProblemCode.CORRUPT_DATA, message))
            break
        yield from _drain(finished)
    application = _close(source, fold)
    yield from _drain(finished)
    return application


def _drain(finished: deque[Work]) -> Iterator[Work]:
    while finished:
        yield finished.popleft()


def _close(source: LogSource, fold: ApplicationFold) -> Application:
    fold.close()
    problems = [
        Problem(
            shown(source.path),
            0,
            ProblemCode.MISSING_FILE,
            f"events_{index}_… of this rolling log is not there",
            retryable=source.in_progress,
        )
        for index in source.missing
    ]
    reads_well = not problems and not fold.fragment.problems
    if reads_well:
        problems += _ends(source, fold.fragment)
    if source.compacted:
        problems.append(Problem(shown(source.files[0]), 0, ProblemCode.COMPACTED, _COMPACTED))
    application = fold.application(problems)
    if reads_well:
        application = replace(application, work_ended_ms=fold.work_ended_ms)
    return _compacted(application) if source.compacted else application


def _compacted(application: Application) -> Application:
    """Without what only all of a log tells of executors: those that were gone, and jobs that had ended, are left out of it."""
    told = replace(application.resources, executor_ms=None, executors=None, driver=None, firm_bytes=0, tasks_at_once=())
    return replace(application, allocated_core_ms=None, resources=told)


def _ends(source: LogSource, whole: Fragment) -> Iterator[Problem]:
    """Say so where a log that reads well still has no beginning or no end."""
    path, last = shown(source.path), shown(source.files[-1])
    if not whole.events:
        yield Problem(path, 0, ProblemCode.NO_EVENTS, "no Spark event in this file", source.in_progress)
    elif whole.start is None:
        yield Problem(shown(source.files[0]), 1, ProblemCode.TRUNCATED, "the application's start is not in this log")
    elif whole.end_ms is None:
        message = "the log ends before the application does: " + _UNFINISHED[source.in_progress]
        yield Problem(last, whole.lines, ProblemCode.TRUNCATED, message, source.in_progress)


def _read_file(source: LogSource, position: int, fold: ApplicationFold, finished: deque[Work]) -> Iterator[None]:
    """Take in the events of a file, and what is wrong with it; pauses for what the fold has `finished` to be taken."""
    file = source.files[position]
    open_ended = source.in_progress and position == len(source.files) - 1
    problems = _Problems(file)
    fold.fragment.lines = yield from _read_events(file, fold, finished, problems, open_ended=open_ended)
    fold.fragment.problems += problems.all()


def _read_events(
    file: LogPath, fold: ApplicationFold, finished: deque[Work], problems: _Problems, *, open_ended: bool
) -> Generator[None, None, int]:
    """Take in the events of a file; returns the number of its last line."""
    number, parsed, bad = 0, 0, 0
    try:
        for number, line in _lines(file):
            if _take_line(number, line, fold, problems, open_ended=open_ended):
                parsed += 1
            elif not _is_cut_event(line):
                bad += 1
                if not parsed and bad >= MAX_PROBLEMS_PER_FILE:
                    break
            if finished:
                yield
        problems.end(number, bad, parsed)
    except UnsupportedCodecError as error:
        problems.add(0, ProblemCode.UNSUPPORTED_CODEC, str(error))
    except EOFError as error:
        message = f"{error}: {_UNFINISHED[open_ended]}"
        problems.add(number + 1, ProblemCode.TRUNCATED, message, retryable=open_ended)
        problems.end(number, bad, parsed)
    except DATA_ERRORS as error:
        # gzip's is an OSError; others of those that other file systems raise have no number.
        unreadable = isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile)
        code = ProblemCode.UNREADABLE_FILE if unreadable else ProblemCode.CORRUPT_DATA
        told = error.strerror if isinstance(error, OSError) and error.strerror else error
        problems.add(number + 1, code, redact(f"cannot be read any further: {told}"), retryable=open_ended)
    return number


def _is_cut_event(line: bytes) -> bool:
    """Whether a line that is no event is the beginning of one."""
    if line.endswith(b"\n") or len(line) >= MAX_LINE_BYTES:
        return False
    return line.startswith(_EVENT) or _EVENT.startswith(line)


def _take_line(number: int, line: bytes, fold: ApplicationFold, problems: _Problems, *, open_ended: bool) -> bool:
    """Whether the line is an event; otherwise a problem tells what is wrong with it. Raises as the fold's `weigh`."""
    try:
        event = decode_event(line)
    except UNREADABLE as error:
        if line.endswith(b"\n") or len(line) >= MAX_LINE_BYTES:
            problems.add(number, ProblemCode.BAD_LINE, f"not a readable event: {redact(str(error))}")
        else:
            message = "the last line is cut off: " + _UNFINISHED[open_ended]
            problems.add(number, ProblemCode.TRUNCATED, message, retryable=open_ended)
        return False
    if event is not None:
        if len(line) < LONG_BYTES:
            fold.add(event)
        else:
            fold.add_long(event, len(line))
    if not number % _WEIGHED_LINES:
        fold.weigh_in_time()
    return True


def _lines(file: LogPath) -> Iterator[tuple[int, bytes]]:
    with open_log(file) as raw:
        plain = open_plain(raw, file.name)
        number = 0
        while line := plain.readline(MAX_LINE_BYTES):
            number += 1
            if line < b"!" and not line.strip():  # it begins with white space
                number += _skip_empty_lines(plain)
                continue
            yield number, line
            if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                _skip_line(plain)


def _skip_empty_lines(plain: io.BufferedReader) -> int:
    """How many there were: a few KB can unpack to hundreds of millions."""
    skipped = 0
    while ahead := plain.peek(1):
        blank = len(ahead) - len(ahead.lstrip()) if ahead < b"!" else 0
        if not blank:
            break
        skipped += plain.read(blank).count(b"\n")
    return skipped


def _skip_line(plain: io.BufferedReader) -> None:
    """Read on to the end of a line. Raises CorruptDataError where there is none."""
    skipped = 0
    while (rest := plain.readline(1 << 20)) and not rest.endswith(b"\n"):
        skipped += len(rest)
        if skipped > MAX_SKIPPED_BYTES:
            raise CorruptDataError(f"a line goes on after {skipped >> 20} MiB")
