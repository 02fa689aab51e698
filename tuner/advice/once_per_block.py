"""What is worked out of a block of joins, once for all that ask for the same one of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from tuner.model.join_graph import JoinGraph

_Found = TypeVar("_Found")


class OncePerBlock(Generic[_Found]):
    """By the blocks themselves: one that is alike may have been measured otherwise."""

    def __init__(self) -> None:
        # With the block: as long as it is there, nothing else has its id.
        self._found: dict[tuple[int, str], tuple[JoinGraph, _Found]] = {}

    def of(self, graph: JoinGraph, work_out: Callable[[], _Found], query: str = "") -> _Found:
        """`query` is the fingerprint of that whose block it is, where what is worked out depends on it."""
        key = id(graph), query
        if key not in self._found:
            self._found[key] = graph, work_out()
        return self._found[key][1]
