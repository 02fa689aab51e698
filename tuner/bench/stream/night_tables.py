"""The tables of a stream as they are in a night, at the same place each night."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tuner.whole_file import write_whole

_NIGHT = "_night"
Change = Callable[[Path, int], None]


def bring_to_night(directory: Path, start: Path, night: int, change: Change) -> None:
    """Make the tables in `directory` those of a night: from `start` by all changes, or by those that are missing.

    `change` is given the directory and each night. Tables of a later night, and such whose change was interrupted, are made
    anew: they are the same, for each change is.
    """
    there = night_of(directory)
    if there is None or there > night:
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        for folder in (path for path in start.iterdir() if path.is_dir()):
            shutil.copytree(folder, directory / folder.name)
        there = 1
        _mark(directory, there)
    for number in range(there + 1, night + 1):
        (directory / _NIGHT).unlink()
        change(directory, number)
        _mark(directory, number)


def night_of(directory: Path) -> int | None:
    """The night that tables are of; None where there are none, or they are between two nights."""
    marker = directory / _NIGHT
    return int(marker.read_text(encoding="ascii")) if marker.is_file() else None


def _mark(directory: Path, night: int) -> None:
    write_whole(directory / _NIGHT, f"{night}".encode())
