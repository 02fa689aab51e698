"""A directory of this machine in the place of Hadoop's, on which what writes can be killed."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path


class KilledError(Exception):
    """The harvest ended here."""


class LocalDirectory:
    """A directory of this machine, on which a harvest can be killed before each change."""

    def __init__(self, root: Path, changes: int | None = None) -> None:
        self.root = root
        self.location = str(root)
        self._left = itertools.count() if changes is None else iter(range(changes))

    def _change(self) -> None:
        if next(self._left, None) is None:
            raise KilledError

    def names(self, path: str) -> list[str]:
        directory = self.root / path
        return [entry.name for entry in directory.iterdir()] if directory.is_dir() else []

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def write(self, path: str, content: bytes) -> None:
        self._change()
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(content)

    def put(self, path: str, content: bytes) -> None:
        self.write(path, content)

    def move(self, source: str, target: str) -> None:
        if (self.root / source).exists():
            self._change()
            assert not (self.root / target).exists()
            (self.root / target).parent.mkdir(parents=True, exist_ok=True)
            (self.root / source).rename(self.root / target)

    def delete(self, path: str) -> None:
        self._change()
        shutil.rmtree(self.root / path, ignore_errors=True)
        if (self.root / path).is_file():
            (self.root / path).unlink()
