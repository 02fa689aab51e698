"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(file: Path, content: bytes) -> None:
    """Put the content in the file's place at once: who is stopped leaves what was there."""
    unfinished = file.with_name(f".{file.name}-{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(file)
