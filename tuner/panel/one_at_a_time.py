"""Of several people who act on a cohort at the same moment one comes first, and the others are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STRIPES = 64


class OneAtATime:
    """In one process: a lock for each cohort, which some others share."""

    def __init__(self) -> None:
        self._locks = tuple(Lock() for _ in range(_STRIPES))

    @contextmanager
    def on(self, cohort: str) -> Iterator[None]:
        with self._locks[hash(cohort) % _STRIPES]:
            yield
