"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

# What the umask leaves of this is what any new file has.
_FOR_ALL = 0o666


def write_whole(file: Path, content: bytes, mode: int = _FOR_ALL) -> None:
    """Put the content in the file's place at once: who is stopped leaves what was there. `mode` is that of a new file.

    Raises OSError.
    """
    if file.exists() and not file.is_file():
        # A pipe or a device has no place that another file could take.
        file.write_bytes(content)
        return
    file = Path(os.path.realpath(file))
    unfinished = file.with_name(f".{file.name}-{os.getpid()}")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as opened:
            opened.write(content)
        unfinished.replace(file)
    finally:
        with suppress(OSError):
            unfinished.unlink()
