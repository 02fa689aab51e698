"""When the last of several stages is done that share the cores."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

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
    run = _Run(stages, cores)
    while run.events:
        run.step()
    return run.now


class _Run:
    def __init__(self, stages: Sequence[Work], cores: int) -> None:
        self.now = 0.0
        # Time, stage, cores that come free, tasks that end; none end when the driver is done with a broadcast.
        self.events: list[tuple[float, int, int, int]] = []
        self._stages = stages
        self._cores = self._free = cores
        self._driver_free = 0.0
        self._waiting = [tasks for _, tasks, _, _ in stages]
        self._unfinished = list(self._waiting)
        self._blocked = [set(inputs) for inputs, _, _, _ in stages]
        self._ready = [number for number, blocked in enumerate(self._blocked) if not blocked]
        self._start()

    def step(self) -> None:
        self.now, stage, cores, tasks = heapq.heappop(self.events)
        self._free += cores
        self._unfinished[stage] -= tasks
        if not tasks:
            self._done(stage)
        elif not self._unfinished[stage]:
            self._tasks_done(stage)
        self._start()

    def _tasks_done(self, stage: int) -> None:
        driver_seconds = self._stages[stage][3]
        if not driver_seconds:
            self._done(stage)
            return
        self._driver_free = max(self.now, self._driver_free) + driver_seconds
        heapq.heappush(self.events, (self._driver_free, stage, 0, 0))

    def _done(self, stage: int) -> None:
        for number, blocked in enumerate(self._blocked):
            if stage in blocked:
                blocked.discard(stage)
                if not blocked:
                    self._ready.append(number)
        self._ready.sort()

    def _start(self) -> None:
        """Hands tasks to free cores: of many tasks a few waves at once, single ones towards the end."""
        while self._ready and self._free:
            stage = self._ready[0]
            waves = max(1, self._waiting[stage] // (self._cores * _SHARES))
            cores = min(self._free, self._waiting[stage])
            self._waiting[stage] -= cores * waves
            self._free -= cores
            end = self.now + waves * self._stages[stage][2]
            heapq.heappush(self.events, (end, stage, cores, cores * waves))
            if not self._waiting[stage]:
                self._ready.pop(0)
