"""The history store as a server keeps it: opened when first asked for, once in each process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from tuner.errors import StoreError
from tuner.history.store import Store

# Opening a database that does not answer takes seconds, and all who ask wait for it: this long they get the same answer.
SAME_ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Kept:
    """`file` is the device and the inode that its path had when it was opened; None of a store without a file, and of
    one that was closed since."""

    store: Store
    path: Path | None
    file: tuple[int, int] | None

    @classmethod
    def of(cls, store: Store) -> _Kept:
        path = store.file and store.file.absolute()
        return cls(store, path, _file_at(path, store))

    @property
    def is_there(self) -> bool:
        """Whether its path still leads to it. StoreError where it leads nowhere: opened again, it would be an empty one."""
        return _file_at(self.path, self.store) == self.file

    def require_whole(self) -> None:
        """StoreError where a file at its path has nothing in it yet: opened, it would become an empty store."""
        if self.path is not None and not _stat(self.path, self.store).st_size:
            raise StoreError(
                f"history store {self.store.place}: its file is empty: put the whole one there, or restart this process"
            )


def _file_at(path: Path | None, store: Store) -> tuple[int, int] | None:
    if path is None:
        return None
    found = _stat(path, store)
    return found.st_dev, found.st_ino


def _stat(path: Path, store: Store) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise StoreError(
            f"history store {store.place}: its file cannot be found: {error.strerror}; put it back, or restart this process"
        ) from error


class KeptStore:
    """Calling it gives the open store, or raises StoreError; while it cannot be opened it is tried again now and then.

    Once a backup was put in the place of its file that is opened: what is said in the file before, nobody reads. A forked
    process opens its own: it must not share connections with its parent.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._lock = Lock()
        # By process: what a child lets go of would close the connections of its parent.
        self._kept: dict[int, _Kept] = {}
        self._failed: tuple[float, str] | None = None

    def __call__(self) -> Store:
        process = os.getpid()
        if (kept := self._kept.get(process)) is not None and kept.is_there:
            return kept.store
        with self._lock:
            kept = self._kept.get(process)
            if kept is not None and not kept.is_there:
                kept.require_whole()
                kept.store.close()
                # Where it does not open now, who asks next does not open it as if it were the first time.
                self._kept[process] = replace(kept, file=None)
                kept = None
            if kept is None:
                self._kept[process] = kept = _Kept.of(self._open())
            return kept.store

    def _open(self) -> Store:
        now = time.monotonic()
        if self._failed is not None and now - self._failed[0] < SAME_ANSWER_SECONDS:
            raise StoreError(self._failed[1])
        try:
            return self._open_store()
        except StoreError as error:
            self._failed = time.monotonic(), str(error)
            raise
