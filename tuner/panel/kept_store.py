"""The history store as a server keeps it: opened when first asked for, once in each process."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock

from tuner.history.store import Store


class KeptStore:
    """Calling it gives the open store. While it cannot be opened each call tries again, and raises StoreError.

    A forked process opens its own: it must not share connections with its parent.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._lock = Lock()
        self._kept: tuple[int, Store] | None = None

    def __call__(self) -> Store:
        kept = self._kept
        if kept is not None and kept[0] == os.getpid():
            return kept[1]
        with self._lock:
            if self._kept is None or self._kept[0] != os.getpid():
                self._kept = (os.getpid(), self._open_store())
            return self._kept[1]
