"""The sizes of the joins of sets of relations, each worked out once."""

from __future__ import annotations

from collections.abc import Callable

from tuner.cost.size import Size


class Sizes(dict[int, Size]):
    """Sizes by the set of relations: what `size_of` says, asked once."""

    def __init__(self, size_of: Callable[[int], Size]) -> None:
        self._size_of = size_of

    def __missing__(self, relations: int) -> Size:
        size = self[relations] = self._size_of(relations)
        return size
