"""The folders of this machine whose event logs may be read, and nothing beside them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tuner.errors import EventLogNotFoundError, TunerError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import LogPath, is_special, scheme_of
from tuner.printable import printable

# The same for what is not there and for what lies elsewhere: neither is to be told from the other.
OUTSIDE = "no event log at this path in the folders given with --logs; list_logs has those that there are"


class OutsideError(TunerError):
    """A path leads nowhere, or out of the folders that may be read."""


@dataclass(frozen=True, slots=True)
class LogFolders:
    """`folders` are real paths: without links, and without `..`."""

    folders: tuple[Path, ...]

    @classmethod
    def named(cls, names: Iterable[str]) -> LogFolders:
        """TunerError for what is no directory of this machine, or cannot be listed."""
        return cls(tuple(dict.fromkeys(map(_folder, names))))

    def sources(self, path: str = "") -> list[LogSource]:
        """The logs at a path, or in all folders where it is "". A log with a file elsewhere is none.

        A relative path is one in any of the folders. Raises OutsideError.
        """
        places = [self.inside(path)] if path else list(self.folders)
        found = {str(source.path): source for place in places for source in _found(place) if self._is_whole(source)}
        if path and not found:
            raise OutsideError(OUTSIDE)
        return list(found.values())

    def inside(self, path: str) -> Path:
        """The real path of a file or directory in the folders, or of what lies in a zip file there. Raises OutsideError."""
        for folder in () if scheme_of(path) else self.folders:
            # An absolute path stays what it is.
            place = _real(folder / path) or _in_zip(folder / path)
            if place is not None and self._has(place) and not is_special(place):
                return place
        raise OutsideError(OUTSIDE)

    def _has(self, place: Path) -> bool:
        return any(place.is_relative_to(folder) for folder in self.folders)

    def _is_whole(self, source: LogSource) -> bool:
        places = [_real(_on_disk(file)) for file in (source.path, *source.files)]
        return all(place is not None and self._has(place) for place in places)


def _folder(name: str) -> Path:
    # A variable that is not set names no directory, nor the one that the server was started in.
    place = None if not name or scheme_of(name) else _real(Path(name))
    if place is None or not place.is_dir():
        raise TunerError(f"--logs {name or repr(name)}: no directory of this machine; give one that holds event logs")
    try:
        next(place.iterdir(), None)
    except OSError as error:
        raise TunerError(
            f"--logs {name}: cannot be listed: {error.strerror}; let this user read it, or give another directory"
        ) from error
    return place


def _real(path: Path) -> Path | None:
    """None for what is not there, for what no path can be, and for links that lead in a circle."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None


def _in_zip(path: Path) -> Path | None:
    """What a path names in a file, which is to be a zip file, below the real path of that; None where it leads into none."""
    for parent in path.parents if printable(str(path)) == str(path) else ():
        if (place := _real(parent)) is not None:
            within = path.relative_to(parent)
            return place / within if place.is_file() and ".." not in within.parts else None
    return None


def _found(place: Path) -> Iterator[LogSource]:
    try:
        there = place if place.exists() else next((file for file in place.parents if file.is_file()), place)
        logs = find_logs(there)
    except (EventLogNotFoundError, OSError):
        return
    yield from (log for log in logs if there is place or Path(str(log.path)).is_relative_to(place))


def _on_disk(file: LogPath) -> Path:
    return Path(str(file.root.filename if isinstance(file, zipfile.Path) else file))
