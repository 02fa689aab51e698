"""The harvest of a cohort's earlier runs, where its decision did not wait for all of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from tuner.loop.time_limits import MostSeconds
from tuner.problems import Problems
from tuner.within_time import aside, within

# So long the end of a process waits for the file system on which its marks lie.
LEAVE_SECONDS = 0.5


class CatchingUp:
    """Goes on aside, and ends half-way where its process does: so its driver waits for it where nothing else keeps the process,
    and leaves it before that ends. A signal's handler may leave it, too.

    `usual_seconds` is what the cohort's runs take, `tidy_up` what is done where it is left before its end (it raises nothing).
    """

    def __init__(self, usual_seconds: float, tidy_up: Callable[[], None]) -> None:
        self.problems = Problems()
        self.is_left = False
        self.goes_on = True
        self._usual_seconds = usual_seconds
        self._tidy_up = tidy_up
        self._told = 0
        # What a handler interrupts may be waiting for it: a queue of this kind is made for that.
        self._ends: SimpleQueue[None] = SimpleQueue()

    def begin(self, work: Callable[[], None]) -> None:
        """Start it. Raises RuntimeError where no thread can start."""

        def run() -> None:
            try:
                self.problems.guard("harvest earlier runs", work, None)
            finally:
                self.goes_on = False
                self._ends.put(None)

        aside(run)

    def wait(self, seconds: float | None) -> bool:
        """Whether it ends within so many seconds (None: however long it takes); who leaves it ends the wait."""
        with suppress(Empty):
            self._ends.get(timeout=None if seconds is None else max(seconds, 0.0))
            self._ends.put(None)
        return not self.goes_on

    def news(self) -> list[str]:
        """What failed since this was last asked for, one line each."""
        found = self.problems.found[self._told :]
        self._told += len(found)
        return found

    def leave(self, seconds: float = LEAVE_SECONDS) -> None:
        """Begin nothing more: the process is about to end, and waits so many seconds for what it leaves to be tidied up. Never
        raises."""
        self.is_left = True
        self._ends.put(None)
        if self.goes_on:
            within(seconds, self._tidy_up, lambda: None)

    def finish(self, most_seconds: MostSeconds) -> list[str]:
        """Wait for it as long as for a harvest, and leave it: what is to be said of that, of a task whose job goes on without
        it."""
        seconds = most_seconds.after_run(self._usual_seconds)
        is_done, doing, was_left = self.wait(seconds), self.problems.doing, self.is_left
        self.leave()
        if is_done:
            return [*self.news(), "read what earlier runs had left to read: the cohort's next decision knows of it"]
        if was_left:
            return self.news()
        return [
            *self.news(),
            f"could not {doing or 'harvest earlier runs'} within {seconds:.3g} s of the submission: this task ends, and the "
            "cohort's next decision begins anew; most_seconds_after is how long a task waits for that",
        ]
