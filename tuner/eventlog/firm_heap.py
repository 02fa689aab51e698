"""How much of one executor's heap was neither garbage nor storage, as its tasks showed it so far."""

from __future__ import annotations

import msgspec

from tuner.units import MIB

# Collectors run several times in so long where tasks make garbage: what a heap holds at its lowest is little else.
_WINDOW_MS = 10_000
# Storage is held in whole steps, larger ones where it rises through many: what one executor's log tells of it stays small.
_STEP = 4 * MIB
_MOST_HELD = 64
# More tasks than an executor has cores are under way at once in damaged logs alone.
_MOST_AT_ONCE = 1000

# When a task was launched, its heap, and storage in it.
_Long = tuple[int, int, int]


class FirmHeap(msgspec.Struct):
    """Bytes that the collector could not free, by what was sampled of tasks that are told in the order of their ends.

    Peaks of a short task are of one time: its heap without its storage counts, and of those that ended in the same ten seconds
    the least. `first` and `lowest` are the first and the latest such ten seconds, and their least. Peaks of a long task are of
    several times: its heap counts without what storage held all the time, the least of its own peak and of the short tasks' from
    the last one before it to the first one after it. `held` is the least that storage held in short tasks from one that ended
    then to the latest; `first_storage` what it held in the first. Long tasks are `opening` before any short one, `long` after
    the latest, both taken together; `began` ended later, but no short one ended before they began. `settled` is the most of what
    needs no more of the log; another part of it may add to both ends. What storage held is rounded down to whole `step`s: where
    they are larger, more is taken for firm.
    """

    settled: int = 0
    first: tuple[int, int] | None = None
    lowest: tuple[int, int] | None = None
    held: list[tuple[int, int]] = []
    step: int = _STEP
    first_storage: int = 0
    opening: _Long | None = None
    began: list[_Long] = []
    long: _Long | None = None

    def take(self, launched_ms: int, finished_ms: int, heap: int, storage: int) -> None:
        """Take in the end of a task: bytes of the heap, and of storage in it."""
        if 0 <= finished_ms - launched_ms <= _WINDOW_MS:
            self._take_window((finished_ms // _WINDOW_MS, max(0, heap - storage)))
            if not self.held:
                self.first_storage = storage
            self._end_long(storage)
            self._hold(finished_ms, storage)
        else:
            self._take_long((min(launched_ms, finished_ms), heap, storage))

    @property
    def entries(self) -> int:
        """How many things it keeps, at least four."""
        return 4 + len(self.held) + len(self.began)

    @property
    def so_far(self) -> int:
        """Of long tasks that no short one is before and after, all of the heap."""
        ends = (ends[1] for ends in (self.first, self.lowest) if ends)
        long = (heap for _, heap, _ in filter(None, (self.opening, *self.began, self.long)))
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
        if later.held:
            if not self.held:
                self.first_storage = later.first_storage
            self._end_long(later.first_storage)
            for long in later.began:
                self._settle(*long)
            for since, least in later.held:
                self._hold(since, least)
            self.long = later.long

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

    def _hold(self, since: int, least: int) -> None:
        least -= least % self.step
        while self.held and self.held[-1][1] >= least:
            since, _ = self.held.pop()
        if self.held:
            since = max(since, self.held[-1][0])
        self.held.append((since, least))
        while len(self.held) > _MOST_HELD:
            self._double_step()

    def _double_step(self) -> None:
        self.step *= 2
        since = dict[int, int]()
        for at, least in self.held:
            since.setdefault(least - least % self.step, at)
        self.held = [(at, least) for least, at in since.items()]

    def _take_long(self, long: _Long) -> None:
        if self.held:
            self.long = _joined(self.long, long)
        else:
            self.opening = _joined(self.opening, long)

    def _end_long(self, storage: int) -> None:
        if self.long is not None:
            launched, heap, least = self.long
            self._settle(launched, heap, min(least, storage))
            self.long = None

    def _settle(self, launched: int, heap: int, storage: int) -> None:
        all_the_time = next((least for since, least in reversed(self.held) if since <= launched), None)
        if all_the_time is not None:
            self.settled = max(self.settled, heap - min(storage, all_the_time))
            return
        if self.held:
            storage = min(storage, self.held[0][1])
        alike = self.began.pop() if len(self.began) >= _MOST_AT_ONCE else None
        self.began.append(_joined(alike, (launched, heap, storage)))


def _joined(one: _Long | None, other: _Long) -> _Long:
    return other if one is None else (min(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]))
