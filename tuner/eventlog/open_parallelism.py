"""How many tasks ran at once, and for how long."""

from __future__ import annotations

import msgspec

# What a store's reader takes: sums of a damaged log end there.
_MOST = (1 << 63) - 1
# Up to here numbers of tasks are told one from another, beyond that to an eighth.
_EXACT_BITS = 4


class OpenParallelism(msgspec.Struct):
    """Starts and ends of tasks so far, in the log's order: `held_ms` are the milliseconds in which so many more tasks ran than at
    its beginning, `running` are how many more do now. Another part of the log may come before it, and another after it.

    The listener bus may post two events in another order than they happened: time does not go back for that.
    """

    running: int = 0
    first_ms: int = 0
    last_ms: int = 0
    held_ms: dict[int, int] = {}

    def change(self, by: int, at_ms: int) -> None:
        """One task more (1) or less (-1) at a time; an event that has none (0) counts for the time before it."""
        if at_ms > self.last_ms:
            self._wait_until(at_ms)
        self.running += by

    def absorb(self, later: OpenParallelism) -> None:
        if later.first_ms:
            self._wait_until(later.first_ms)
            for more, ms in later.held_ms.items():
                self._hold(self.running + more, ms)
            self.last_ms = max(self.last_ms, later.last_ms)
        self.running += later.running

    def tasks_at_once(self) -> tuple[tuple[int, int], ...]:
        """Numbers of tasks that ran at once, ascending, each with its milliseconds; large ones are rounded up. () where the log
        lacks a start or an end of a task: what comes after it is not known."""
        if self.running or any(tasks < 0 for tasks in self.held_ms):
            return ()
        found = dict[int, int]()
        for tasks, ms in self.held_ms.items():
            rounded = _rounded_up(tasks)
            found[rounded] = min(_MOST, found.get(rounded, 0) + ms)
        return tuple(sorted((tasks, ms) for tasks, ms in found.items() if tasks))

    def _wait_until(self, at_ms: int) -> None:
        if not self.first_ms:
            self.first_ms = self.last_ms = at_ms
        elif at_ms > self.last_ms:
            self._hold(self.running, at_ms - self.last_ms)
            self.last_ms = at_ms

    def _hold(self, tasks: int, ms: int) -> None:
        self.held_ms[tasks] = self.held_ms.get(tasks, 0) + ms


def _rounded_up(tasks: int) -> int:
    step = 1 << max(0, tasks.bit_length() - _EXACT_BITS)
    return -(-tasks // step) * step
