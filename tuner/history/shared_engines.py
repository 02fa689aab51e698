"""One engine for all stores of a process at one URL: SQLAlchemy compiles a store's statements once for each engine.

That is a fifth of what a decision computes, and a task decides and completes in stores of its own.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.engine import URL

from tuner.history.engine import make_place, open_engine

# Of stores that are all closed: these hold compiled statements and no connection.
_MOST_IDLE = 2


@dataclass(slots=True)
class _Shared:
    engine: Engine
    users: int = 0


class SharedEngines:
    """Engines by URL, each for as many stores at once as take it; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_url: dict[URL, _Shared] = {}

    def take(self, url: URL) -> Engine:
        """An engine for a URL from `parse`, to be given back; StoreError as of `open_engine`."""
        if not _one_place(url):
            return open_engine(url)
        with self._lock:
            # The last to be taken stands last.
            shared = self._by_url.pop(url, None)
            if shared is None:
                shared = _Shared(open_engine(url))
            else:
                make_place(url)
            shared.users += 1
            self._by_url[url] = shared
            return shared.engine

    def give_back(self, engine: Engine) -> None:
        """Once for each time that it was taken. With the last its connections are closed."""
        with self._lock:
            shared = self._by_url.get(engine.url)
            if shared is None or shared.engine is not engine:
                engine.dispose()
                return
            shared.users -= 1
            if not shared.users:
                engine.dispose()
                self._forget()

    def _forget(self) -> None:
        idle = [url for url, shared in self._by_url.items() if not shared.users]
        for url in idle[:-_MOST_IDLE]:
            del self._by_url[url]


def _one_place(url: URL) -> bool:
    """Whether it names the same database from any directory; each engine has a database in memory of its own."""
    return url.get_backend_name() != "sqlite" or Path(url.database or "").is_absolute()


_of_parents: list[SharedEngines] = []
_engines = SharedEngines()


def shared_engines() -> SharedEngines:
    """Those of this process."""
    return _engines


def _begin_anew() -> None:
    global _engines
    # A parent's thread may be using one: its connections, which this process has too, must be neither used nor closed.
    _of_parents.append(_engines)
    _engines = SharedEngines()


os.register_at_fork(after_in_child=_begin_anew)
