"""The files of many logs as units of work: what a worker needs to read one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from zipfile import Path as ZipPath

import msgspec

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import MAX_SHOWN, LogPath, inside_zip, log_path, shown
from tuner.eventlog.log_version import file_bytes, log_name
from tuner.eventlog.properties import redact

# What a task reads: enough that starting it does not matter, little enough that all cores have work to the end.
SLICE_BYTES = 64 << 20


class Place(msgspec.Struct, frozen=True):
    """Where a file lies, in a form that can be sent: a path or URL, and the entry where that is a zip file."""

    location: str
    entry: str | None = None

    def open(self) -> LogPath:
        """The path, on the machine this is called on. Raises OSError for a zip file that cannot be read there."""
        path = log_path(self.location)
        if self.entry is None or isinstance(path, ZipPath):
            return path
        root = inside_zip(path)
        if root is None:
            raise OSError(f"{shown(path)}: cannot be read as a zip file here")
        return root.joinpath(self.entry) if self.entry else root

    def told(self) -> Place:
        """The same as it may be stored: a URL without the credentials in it."""
        try:
            return Place(shown(self.open()))
        except (EventLogNotFoundError, OSError):  # not to be got at from here
            return Place(redact(self.location, MAX_SHOWN), self.entry)


class Piece(msgspec.Struct, frozen=True):
    """One file of a log, the `position`th of `count`, with what is to be known of the whole log."""

    log: str
    path: Place
    file: Place
    first: Place
    last: Place
    position: int
    count: int
    in_progress: bool
    missing: tuple[int, ...]
    named: bool
    size_bytes: int

    def alone(self) -> LogSource:
        """This file as if it were the log; behind the log's first one where it is another: that tells of the application."""
        # Only the last file of a log is still being written.
        in_progress = self.in_progress and self.position == self.count - 1
        files = (self.first, self.file) if self.position else (self.file,)
        missing = self.missing if self.count == 1 else ()
        return LogSource(self.path.open(), tuple(file.open() for file in files), in_progress, missing, self.named)

    def told(self) -> Piece:
        """The same with paths as they may be stored: a URL without the credentials in it."""
        path, file, first, last = (place.told() for place in (self.path, self.file, self.first, self.last))
        return msgspec.structs.replace(self, path=path, file=file, first=first, last=last)

    def whole(self) -> LogSource:
        """The log by its first and last file: enough to say what is wrong with it, not to read it."""
        return LogSource(
            self.path.open(), (self.first.open(), self.last.open()), self.in_progress, self.missing, self.named
        )


def place(path: LogPath) -> Place:
    if isinstance(path, ZipPath):
        return Place(str(path.root.filename), path.at)
    return Place(str(path))


def pieces(source: LogSource) -> Iterator[Piece]:
    """A log's files, each to be read by itself; a log in one file is one piece."""
    log, path, places = log_name(source), place(source.path), [place(file) for file in source.files]
    for position, (file, here) in enumerate(zip(source.files, places, strict=True)):
        yield Piece(
            log=log,
            path=path,
            file=here,
            first=places[0],
            last=places[-1],
            position=position,
            count=len(places),
            in_progress=source.in_progress,
            missing=source.missing,
            named=source.named,
            size_bytes=file_bytes(file),
        )


def slices(found: Iterable[Piece], least: int) -> list[list[Piece]]:
    """The pieces in at least so many lists of about the same bytes (fewer where there are fewer pieces)."""
    by_size = sorted(found, key=lambda piece: -piece.size_bytes)
    total = sum(piece.size_bytes for piece in by_size)
    count = max(1, min(len(by_size), max(least, -(-total // SLICE_BYTES))))
    filled: list[list[Piece]] = [[] for _ in range(count)]
    weights = [(0, i) for i in range(count)]
    for piece in by_size:
        weight, lightest = heapq.heappop(weights)
        filled[lightest].append(piece)
        heapq.heappush(weights, (weight + max(1, piece.size_bytes), lightest))
    return filled
