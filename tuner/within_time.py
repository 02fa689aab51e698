"""Work that a job waits for only so long. Threads cannot be ended: what takes longer goes on, and nothing waits for it."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TypeVar

_T = TypeVar("_T")
_Ended = tuple[_T, None] | tuple[None, BaseException]


def within(seconds: float, work: Callable[[], _T], late: Callable[[], _T] | None = None) -> _T:
    """What `work` returns or raises, if it is done in time; what `late` returns otherwise, and where no thread can start.

    Raises TimeoutError where nothing is to be done when it is late.
    """
    try:
        ended = _started(work).get(timeout=max(seconds, 0.0))
    except (Empty, RuntimeError):
        if late is None:
            raise TimeoutError(f"no answer in {seconds:g} s") from None
        return late()
    return _came_of(ended)


def begun_aside(work: Callable[[], _T]) -> Callable[[], _T]:
    """Starts work, and returns what waits for its end, once, and then returns or raises what the work does. Where no thread can
    start, the work is done then."""
    try:
        done = _started(work)
    except RuntimeError:
        return work
    return lambda: _came_of(done.get())


def aside(work: Callable[[], object]) -> None:
    """Starts work that neither the job nor the interpreter's exit waits for. RuntimeError where no thread can start."""
    Thread(target=work, name="spark-tuner", daemon=True).start()


def _started(work: Callable[[], _T]) -> SimpleQueue[_Ended[_T]]:
    """Where what comes of the work is put. RuntimeError where no thread can start."""
    done: SimpleQueue[_Ended[_T]] = SimpleQueue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:
            done.put((None, error))

    aside(run)
    return done


def _came_of(ended: _Ended[_T]) -> _T:
    found, error = ended
    if error is not None:
        raise error
    return found  # type: ignore[return-value]


class Consent:
    """Of who waits to what is done for him: whichever comes first, its being taken or withdrawn, holds."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._taken = False
        self._withdrawn = False

    @property
    def withdrawn(self) -> bool:
        """Whether nobody waits any more; taken before that, it was taken all the same."""
        return self._withdrawn

    def take(self) -> bool:
        """Whether it still holds; once taken, withdrawing comes too late."""
        with self._lock:
            self._taken = self._taken or not self._withdrawn
            return self._taken

    def withdraw(self) -> bool:
        """Whether it had not been taken."""
        with self._lock:
            self._withdrawn = True
            return not self._taken
