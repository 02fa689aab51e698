"""Signals that ask this program to end, passed on to the program that it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ASKS_TO_END = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """While it lasts, a program that is started ends by them, and this one tells how: alone, it would leave it running on.

    Hand what it gives the process as soon as that has started: what came before then is passed on, too. What is ignored
    (nohup) stays so; a terminal's Ctrl-C has reached both already.
    """
    started: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: object) -> None:
        if not started:
            early.append(number)
        elif number != signal.SIGINT or not _in_terminal():
            started[0].send_signal(number)

    def has_started(process: subprocess.Popen[bytes]) -> None:
        started.append(process)
        for number in early:
            process.send_signal(number)

    if threading.current_thread() is not threading.main_thread():
        yield has_started
        return
    with _handled(pass_on):
        yield has_started


@contextmanager
def signals_end_with(code: int) -> Iterator[None]:
    """While it lasts, this program ends at once by them, with this code: what it ran is over, and how is known."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled(lambda *_: os._exit(code)):
        yield


def _in_terminal() -> bool:
    """Whoever starts this may have closed its stdin."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


@contextmanager
def _handled(handle: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = {number: found for number in _ASKS_TO_END if (found := signal.getsignal(number)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
