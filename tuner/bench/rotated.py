"""Things in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

_Any = TypeVar("_Any")


def rotated(things: Sequence[_Any], places: int) -> Iterator[_Any]:
    """Each once, from the one that many places on: over and over, another one comes first."""
    for n in range(len(things)):
        yield things[(n + places) % len(things)]
