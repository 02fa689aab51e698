"""Which code measures or decides: in a checkout the version stays the same while the code changes."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import tuner

_SUFFIXES = frozenset({".py", ".java"})
_LENGTH = 12


# What a process has loaded is what was there when it began.
@cache
def source_digest() -> str:
    """Of the sources of this tuner: another one, another digest."""
    return digest_of(Path(tuner.__file__).parent)


def digest_of(directory: Path) -> str:
    """Of all source files below a directory, with their places in it."""
    found = hashlib.sha256()
    for file in sorted(one for one in directory.rglob("*") if one.suffix in _SUFFIXES and one.is_file()):
        content = file.read_bytes()
        found.update(f"{file.relative_to(directory).as_posix()}\n{len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:_LENGTH]
