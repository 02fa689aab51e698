"""When the last of several stages is done that share the cores."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from heapq import heappop, heappush

# The numbers of the stages it waits for, its tasks, seconds of a task, seconds on the driver after the last of them.
Work = tuple[tuple[int, ...], int, float, float]

# A core takes at most this part of what is left for it at once: a stage of a billion tasks takes a few hundred steps.
_SHARES = 4


def makespan(stages: Sequence[Work], cores: int) -> float:
    """Seconds from the start of the first stage to the end of the last.

    A stage of its own takes `ceil(tasks / cores)` waves. Of stages that are ready the earlier one's tasks go first
    (FIFO, Spark's default). The driver builds one broadcast after the other, and cores go on with other stages
    meanwhile. Stages come after those they wait for.
    """
    missing, followers = _dependencies(stages)
    ready = [number for number, others in enumerate(missing) if not others]
    waiting = [tasks for _, tasks, _, _ in stages]
    unfinished = list(waiting)
    # Time, stage, cores that come free, tasks that end; none end when the driver is done with a broadcast.
    events: list[tuple[float, int, int, int]] = []
    free, now, driver_free = cores, 0.0, 0.0
    while True:
        # Of many tasks a few waves at once, single ones towards the end.
        while ready and free:
            stage = ready[0]
            left = waiting[stage]
            waves = left // (cores * _SHARES) or 1
            taken = min(free, left)
            waiting[stage] = left - taken * waves
            free -= taken
            heappush(events, (now + waves * stages[stage][2], stage, taken, taken * waves))
            if not waiting[stage]:
                ready.pop(0)
        if not events:
            return now
        now, stage, released, tasks = heappop(events)
        free += released
        unfinished[stage] -= tasks
        if tasks and unfinished[stage]:
            continue
        if tasks and (driver_seconds := stages[stage][3]):
            driver_free = max(now, driver_free) + driver_seconds
            heappush(events, (driver_free, stage, 0, 0))
            continue
        for number in followers[stage]:
            missing[number] -= 1
            if not missing[number]:
                insort(ready, number)


def _dependencies(stages: Sequence[Work]) -> tuple[list[int], list[list[int]]]:
    """Of each stage, how many it waits for, and which wait for it."""
    missing: list[int] = []
    followers: list[list[int]] = [[] for _ in stages]
    for number, (inputs, _, _, _) in enumerate(stages):
        others = set(inputs)
        missing.append(len(others))
        for one in others:
            followers[one].append(number)
    return missing, followers
