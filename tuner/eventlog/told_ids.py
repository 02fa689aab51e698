"""What a log has told of by ids: what stands in it twice, as where it was copied together, counts once."""

from __future__ import annotations

import msgspec

# What a log tells of an attempt at a task, or a job, each once. Spark ends an attempt a second time where its output was lost
# with its executor (TaskSetManager.executorLost).
STARTED, ENDED, RESUBMITTED = 1, 2, 4
_PAGE_BITS = 12
_PAGE = 1 << _PAGE_BITS
# What most pages come to: those share this one.
_FULL = bytearray([STARTED | ENDED]) * _PAGE
_LATE = 8  # so many pages later, what takes long of one has mostly ended
# Beyond so many, which are 67 million ids, none is told from another.
_MAX_PAGES = 1 << 14


class ToldIds(msgspec.Struct):
    """The ids of one kind of thing, through which an application counts (TaskSchedulerImpl.newTaskId): a byte each, and none
    once all 4096 of a page have started and ended."""

    pages: dict[int, bytearray] = {}

    def is_first(self, id_: int, what: int) -> bool:
        """Whether this was not told yet; True where the id is not known."""
        page = self.pages.get(id_ >> _PAGE_BITS)
        if page is None:
            page = self._open(id_ >> _PAGE_BITS)
        at = id_ & _PAGE - 1
        told = page[at]
        if told & what:
            return False
        if page is _FULL:
            page = self.pages[id_ >> _PAGE_BITS] = bytearray(page)
        page[at] = told | what
        return True

    def is_told(self, id_: int, what: int) -> bool:
        """Whether this was told, without telling it."""
        page = self.pages.get(id_ >> _PAGE_BITS)
        return page is not None and bool(page[id_ & _PAGE - 1] & what)

    def forget(self) -> None:
        """What follows is of another application, which counts anew."""
        self.pages.clear()

    def absorb(self, later: ToldIds) -> bool:
        """Take in those of the stretch that follows; whether it tells again what was told before."""
        again = False
        for number, page in later.pages.items():
            known = self.pages.get(number)
            if known is not None:
                here, there = int.from_bytes(known), int.from_bytes(page)
                again = again or bool(here & there)
                page = bytearray((here | there).to_bytes(_PAGE))
            self.pages[number] = _FULL if page == _FULL else page
        return again

    def _open(self, number: int) -> bytearray:
        """A new page: one that is not kept where ids are not known, or there are too many."""
        page = bytearray(_PAGE)
        if number < 0 or len(self.pages) >= _MAX_PAGES:
            return page
        for earlier in range(number - _LATE, number):
            if self.pages.get(earlier) == _FULL:
                self.pages[earlier] = _FULL
        self.pages[number] = page
        return page
