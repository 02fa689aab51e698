"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

# What the umask leaves of this is what any new file has.
_FOR_ALL = 0o666


def write_whole(file: Path, content: bytes, mode: int = _FOR_ALL) -> None:
    """The content in the file's place, as `replacing` puts it there. Raises OSError."""
    with replacing(file, mode) as opened:
        opened.write(content)


@contextmanager
def replacing(file: Path, mode: int = _FOR_ALL) -> Iterator[BinaryIO]:
    """A file that takes the place of what is there once all is written: who is stopped, or fails, leaves that. `mode` is that
    of a new file.

    Raises OSError.
    """
    if file.exists() and not file.is_file():
        # A pipe or a device has no place that another file could take.
        with file.open("wb") as opened:
            yield opened
        return
    file = Path(os.path.realpath(file))
    unfinished = file.with_name(f".{file.name}-{token_hex(4)}")
    # In a directory that others may write in, one of them may have put a link there, which O_EXCL does not follow.
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            yield opened
        unfinished.replace(file)
    finally:
        with suppress(OSError):
            unfinished.unlink()
