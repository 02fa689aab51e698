"""Signals that ask this program to end, passed on to the program that it runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ASKS_TO_END = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While it lasts, the process ends by them, and this program tells how: alone, it would leave it running on.

    What is ignored (nohup) stays so; a terminal's Ctrl-C has reached both already.
    """

    def pass_on(number: int, _: object) -> None:
        if number != signal.SIGINT or not sys.stdin.isatty():
            process.send_signal(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: found for number in _ASKS_TO_END if (found := signal.getsignal(number)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
