"""Where a process can be killed: after each call of the store, around each of its commits, at each file and directory made."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from tuner.history.store import Store

STORE_CALLS = ("open", "begin", "finish", "runs", "pending", "verdicts", "add_details", "close")
_MAKES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "subprocess.Popen"}
_WRITING = os.O_WRONLY | os.O_RDWR


class Steps:
    """Counts the steps of this process and calls `at_step` at each, with its number and name."""

    def __init__(self, at_step: Callable[[int, str], None]) -> None:
        self._at_step = at_step
        self._count = 0
        self._open = True

    def take(self, name: str) -> None:
        if self._open:
            self._count += 1
            self._at_step(self._count, name)

    @contextmanager
    def paused(self) -> Any:
        """What happens meanwhile is no step of this process."""
        self._open = False
        try:
            yield
        finally:
            self._open = True

    def watch(self, root: Path) -> None:
        """From now on every step counts; of files, those below `root`."""
        for name in STORE_CALLS:
            self._wrap(name)
        event.listen(Engine, "after_cursor_execute", lambda *a: self._statement(a[2]))
        sys.addaudithook(lambda what, arguments: self._audit(what, arguments, str(root)))

    def _wrap(self, name: str) -> None:
        method = getattr(Store, name)

        @wraps(method)
        def stepping(*arguments: Any, **named: Any) -> Any:
            found = method(*arguments, **named)
            self.take(f"after Store.{name}")
            return found

        # A class method is bound already.
        setattr(Store, name, staticmethod(stepping) if name == "open" else stepping)

    def _statement(self, text: str) -> None:
        if text.split(maxsplit=1)[0] in ("CREATE", "INSERT", "UPDATE"):
            self.take(f"before the commit of {text[:6]}")

    def _audit(self, what: str, arguments: tuple[Any, ...], root: str) -> None:
        if what == "open":
            path, _, flags = arguments
            if flags & _WRITING and str(path).startswith(root):
                self.take(f"open {path}")
        elif what in _MAKES:
            self.take(f"{what} {arguments[0]}")


def kill(pid: int | None = None) -> None:
    """End a process, this one if none is given, as the kernel does where memory runs out."""
    os.kill(pid or os.getpid(), signal.SIGKILL)
