"""Work on many items, in their order, by as many processes as there are cores."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

from tuner.machine import cores

# What takes no longer is not worth other processes, which take a third of that to start.
ALONE_SECONDS = 1.0
# Results that wait for an earlier one, for each process: memory holds no more, however many items there are.
_AHEAD = 2

Item = TypeVar("Item")
Made = TypeVar("Made")


def side_by_side(make: Callable[[Item], Made], items: Sequence[Item], processes: int | None = None) -> Iterator[Made]:
    """What `make` makes of each item, in the order of the items. `processes` None: one for each core that this one may use.

    The first are made here; if that takes longer than ALONE_SECONDS, the others are made by other processes. What these cannot
    make, whyever (one was killed, or something cannot be sent there), is made here, and an error is raised in its turn.
    """
    most, began = processes or cores(), time.monotonic()
    for position, item in enumerate(items):
        left = items[position:]
        if min(most, len(left)) > 1 and time.monotonic() - began > ALONE_SECONDS:
            yield from _elsewhere(make, left, min(most, len(left)))
            return
        yield make(item)


def _elsewhere(make: Callable[[Item], Made], items: Sequence[Item], processes: int) -> Iterator[Made]:
    pool = _pool(processes)
    waiting = deque[Callable[[], Made]]()
    try:
        for item in items:
            waiting.append(_begun(pool, make, item))
            if len(waiting) > _AHEAD * processes:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def _pool(processes: int) -> Executor | None:
    """None where this machine lets no processes work together (no semaphores, as in some containers)."""
    # Nobody who reads a single log waits for them.
    from concurrent.futures.process import ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        # A fork of a process with threads may hang.
        return ProcessPoolExecutor(processes, get_context("spawn"), _end_with_parent)
    except (ImportError, NotImplementedError, OSError):
        return None


def _begun(pool: Executor | None, make: Callable[[Item], Made], item: Item) -> Callable[[], Made]:
    """A call that gives what is made of the item."""
    here = partial(make, item)
    if pool is None:
        return here
    try:
        future = pool.submit(make, item)
    except Exception:  # a process was killed, or this one may have none of its own
        return here

    def made() -> Made:
        try:
            return future.result()
        except Exception:
            return here()

    return made


def _end_with_parent() -> None:
    """In one of the processes: ends at once with Ctrl+C, and when the process that asked for it is gone."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
