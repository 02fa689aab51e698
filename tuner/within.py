"""A limit on how long a step may keep its caller waiting."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

_T = TypeVar("_T")


def within(seconds: float, step: Callable[[], _T]) -> _T:
    """What the step returns or raises. Raises TimeoutError where it takes longer: it is then left to itself."""
    returned: list[_T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(step())
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not returned:
        raise TimeoutError(f"no answer in {seconds:g} s")
    return returned[0]
