"""Writes a page as one file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tuner.errors import TunerError


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """The parts one after the other at `path`, in the place of what is there. Memory: one part at a time.

    TunerError where the file cannot be written, and whatever the parts raise: then what was there is there still.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            for part in parts:
                file.write(part)
        unfinished.replace(path)
    except OSError as error:
        raise TunerError(f"cannot write the report to {path}: {error.strerror}; give another --report") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
