"""Executors that came and went, and the time that their cores were held."""

from __future__ import annotations

from typing import NamedTuple

_LONGEST_MS = (1 << 63) - 1  # what a store's reader takes
# The scheduler's threads stamp and post events each by itself: two may change places.
_MOST_BACK_MS = 1000


class Held(NamedTuple):
    """What executors held: the time that each was there, summed, and that times its cores."""

    executor_ms: int
    core_ms: int


class Allocation:
    """Takes executors added and removed in the log's order; memory is one entry for each that is alive.

    `count` is the largest number alive at once, `cores` the most cores of one.
    """

    def __init__(self) -> None:
        self.count = 0
        self.cores = 0
        self._alive: dict[str, tuple[int, int]] = {}
        self._held = Held(0, 0)
        self._first_ms: int | None = None
        self._last_ms = 0
        self._known = True

    def change(self, name: str, cores: int | None, at_ms: int) -> None:
        """An executor added with `cores`, or (None) removed; `at_ms` is 0 where the log does not say when."""
        self._first_ms = at_ms if self._first_ms is None else self._first_ms
        self._known &= at_ms > 0 and at_ms >= self._last_ms - _MOST_BACK_MS
        self._last_ms = max(self._last_ms, at_ms)
        held = self._alive.pop(name, None)
        if cores is None:
            self._end(held, at_ms)
            return
        # One that is added again is not known to have gone, nor when.
        self._known &= held is None and cores > 0
        self._alive[name] = cores, at_ms
        self.count = max(self.count, len(self._alive))
        self.cores = max(self.cores, cores)

    @property
    def alive(self) -> int:
        """How many are there now."""
        return len(self._alive)

    def held(self, start_ms: int, end_ms: int) -> Held | None:
        """Milliseconds from added to removed, or to the application's end for those that stayed, and these times cores.

        None where that cannot be told: no executor was added, one came or went at no known time or without having been
        there, or the clock was set back.
        """
        executor_ms, core_ms = self._held
        for cores, since_ms in self._alive.values():
            if since_ms > end_ms:
                return None
            executor_ms += end_ms - since_ms
            core_ms += cores * (end_ms - since_ms)
        known = self._known and self._first_ms is not None and self._first_ms >= start_ms - _MOST_BACK_MS
        return Held(executor_ms, core_ms) if known and 0 <= core_ms <= _LONGEST_MS else None

    def _end(self, held: tuple[int, int] | None, at_ms: int) -> None:
        if held is None or at_ms < held[1]:
            self._known = False
        else:
            took = at_ms - held[1]
            self._held = Held(self._held.executor_ms + took, self._held.core_ms + held[0] * took)
