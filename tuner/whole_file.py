"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import mkstemp
from typing import BinaryIO

# What the umask leaves of this is what any new file has.
_FOR_ALL = 0o666
_OWN = 0o600


def write_whole(file: Path, content: bytes, mode: int = _FOR_ALL) -> None:
    """The content in the file's place, as `replacing` puts it there. Raises OSError."""
    with replacing(file, mode) as opened:
        opened.write(content)


def put_whole(file: Path, content: bytes, mode: int = _OWN) -> None:
    """The content in the place of whatever lies there, a link, too, whatever the umask: for directories that others may write in.
    Raises OSError, and leaves nothing then."""
    descriptor, unfinished = mkstemp(prefix=".", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            os.fchmod(descriptor, mode)
            opened.write(content)
        Path(unfinished).replace(file)
    except OSError:
        Path(unfinished).unlink(missing_ok=True)
        raise


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
