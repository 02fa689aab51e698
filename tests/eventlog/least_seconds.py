"""How long a piece of work takes, as far as the machine's other work can be told from it."""

from __future__ import annotations

import time
from collections.abc import Callable

REPEATS = 5


def least_seconds(work: Callable[[], object]) -> float:
    """Seconds of this process at least, of several times that it does this work."""

    def once() -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    return min(once() for _ in range(REPEATS))
