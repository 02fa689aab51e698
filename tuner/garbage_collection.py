"""While a history is read and decided on, Python looks for no cycles in it: there are none, and looking takes long."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_within = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keeps the cyclic garbage collector from running, in all threads, until the last of those within has left.

    A collector that was off before stays off. What memory counts references of is freed as ever.
    """
    global _within, _was_enabled
    with _lock:
        if not _within:
            _was_enabled = gc.isenabled()
            gc.disable()
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within and _was_enabled:
                gc.enable()


def collection_resumed() -> None:
    """Has the collector run again, if it did before, whoever is still within and however long he stays."""
    with _lock:
        if _within and _was_enabled:
            gc.enable()
