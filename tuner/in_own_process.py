"""Work that is ended when it takes too long: in a process of its own, which takes its memory and its threads along."""

from __future__ import annotations

import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from tuner.errors import TunerError

_T = TypeVar("_T")


class TooLongError(TunerError):
    """Work was ended before it was done."""


class ProcessDiedError(TunerError):
    """A process ended without a result: by itself, or by the kernel where memory ran out."""


def in_own_process(seconds: float, work: Callable[..., _T], *arguments: Any) -> _T:
    """What `work` returns; raises its TunerErrors, TooLongError where it is not done in time, else ProcessDiedError.

    `work` is a function of a module; its arguments and what it returns can be pickled.
    """
    context = get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sending, seconds, work, arguments), daemon=True)
    process.start()
    sending.close()
    try:
        if not receiving.poll(seconds):
            raise TooLongError(f"this takes longer than {seconds:.0f} s")
        found, error = receiving.recv()
    except EOFError:
        raise ProcessDiedError("this could not be worked out: its process ended before it was done") from None
    finally:
        process.kill()
        process.join()
        receiving.close()
    if error is not None:
        raise TunerError(error)
    return found  # type: ignore[no-any-return]


def _run(sending: Connection, seconds: float, work: Callable[..., _T], arguments: tuple[Any, ...]) -> None:
    if hasattr(signal, "alarm"):
        # Who waits for it may be gone by then.
        signal.alarm(int(seconds) + 1)
    try:
        sending.send((work(*arguments), None))
    except TunerError as error:
        sending.send((None, str(error)))
