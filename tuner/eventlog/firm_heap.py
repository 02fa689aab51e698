"""How much of one executor's heap was neither garbage nor storage, as its tasks showed it so far."""

from __future__ import annotations

import msgspec

# Collectors run several times in so long where tasks make garbage: what a heap holds at its lowest is little else.
_WINDOW_MS = 10_000


class FirmHeap(msgspec.Struct):
    """Bytes that the collector could not free, by what was sampled of tasks that are told in the order of their ends.

    Peaks of a short task are of one time: its heap without its storage counts, and of those that ended in the same ten seconds
    the least. `first` and `lowest` are the first and the latest such ten seconds, and their least. Peaks of a long task are of
    several times: its heap counts without what storage held all the time, the least of its own peak and of the short tasks'
    before and after it. `opening` are the long tasks before any short one, their most of heap and least of storage; `long` those
    after the latest short one; `first_storage` and `last_storage` what storage held in the first and the latest short one.
    `settled` is the most of what needs no more of the log; another part of it may add to both ends.
    """

    settled: int = 0
    first: tuple[int, int] | None = None
    lowest: tuple[int, int] | None = None
    opening: tuple[int, int] | None = None
    first_storage: int | None = None
    last_storage: int | None = None
    long: tuple[int, int] | None = None

    def take(self, launched_ms: int, finished_ms: int, heap: int, storage: int) -> None:
        """Take in the end of a task: bytes of the heap, and of storage in it."""
        if 0 <= finished_ms - launched_ms <= _WINDOW_MS:
            self._take_window((finished_ms // _WINDOW_MS, max(0, heap - storage)))
            self._end_long(storage)
            self.last_storage = storage
        else:
            self._take_long((heap, storage))

    @property
    def so_far(self) -> int:
        """Of long tasks that no short one is before and after, all of the heap."""
        ends = (ends[1] for ends in (self.first, self.lowest) if ends)
        long = (most for most, _ in filter(None, (self.opening, self.long)))
        return max(self.settled, *ends, *long, 0)

    def absorb(self, later: FirmHeap) -> None:
        """Take in what follows in the log."""
        self.settled = max(self.settled, later.settled)
        if later.first:
            self._take_window(later.first)
        if later.lowest and later.lowest != later.first:
            self._take_window(later.lowest)
        if later.opening:
            self._take_long(later.opening)
        if later.first_storage is not None:
            self._end_long(later.first_storage)
            self.last_storage, self.long = later.last_storage, later.long

    def _take_window(self, window: tuple[int, int]) -> None:
        known = self.lowest
        if known is not None and known[0] == window[0]:
            window = (window[0], min(window[1], known[1]))
            if self.first is not None and self.first[0] == window[0]:
                self.first = window
        elif known is not None and known != self.first:
            self.settled = max(self.settled, known[1])
        self.first = self.first or window
        self.lowest = window

    def _take_long(self, long: tuple[int, int]) -> None:
        if self.last_storage is None:
            self.opening = _joined(self.opening, long)
        else:
            self.long = _joined(self.long, (long[0], min(long[1], self.last_storage)))

    def _end_long(self, storage: int) -> None:
        if self.long is not None:
            self.settled = max(self.settled, self.long[0] - min(self.long[1], storage))
            self.long = None
        if self.first_storage is None:
            self.first_storage = storage


def _joined(one: tuple[int, int] | None, other: tuple[int, int]) -> tuple[int, int]:
    return other if one is None else (max(one[0], other[0]), min(one[1], other[1]))
