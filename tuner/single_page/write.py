"""Writes a page as one file, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tuner.errors import TunerError
from tuner.whole_file import replacing


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """The parts one after the other at `path`, in the place of what is there. Memory: one part at a time.

    TunerError where the file cannot be written, and whatever the parts raise: then what was there is there still.
    """
    try:
        with replacing(path) as file:
            for part in parts:
                file.write(part.encode())
    except OSError as error:
        raise TunerError(f"cannot write the report to {path}: {error.strerror}; give another --report") from error
