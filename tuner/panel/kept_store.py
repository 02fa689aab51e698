"""The history store as a server keeps it: opened when first asked for, once in each process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Lock

from tuner.errors import StoreError
from tuner.history.store import Store

# Opening a database that does not answer takes seconds, and all who ask wait for it: this long they get the same answer.
SAME_ANSWER_SECONDS = 10.0


class KeptStore:
    """Calling it gives the open store, or raises StoreError; while it cannot be opened it is tried again now and then.

    A forked process opens its own: it must not share connections with its parent.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open_store = open_store
        self._lock = Lock()
        # By process: what a child lets go of would close the connections of its parent.
        self._kept: dict[int, Store] = {}
        self._failed: tuple[float, str] | None = None

    def __call__(self) -> Store:
        process = os.getpid()
        if (kept := self._kept.get(process)) is not None:
            return kept
        with self._lock:
            if process not in self._kept:
                self._kept[process] = self._open()
            return self._kept[process]

    def _open(self) -> Store:
        now = time.monotonic()
        if self._failed is not None and now - self._failed[0] < SAME_ANSWER_SECONDS:
            raise StoreError(self._failed[1])
        try:
            return self._open_store()
        except StoreError as error:
            self._failed = time.monotonic(), str(error)
            raise
