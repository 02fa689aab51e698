"""Results kept by text: plans repeat their texts, the one before AQE and the last one most of all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_ENTRIES = 1024
_LONGEST = 2_000  # what is kept stays small, whatever a log holds

Result = TypeVar("Result")


def by_text(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Keep a pure function's results for the latest texts. Those of long texts are not kept."""
    kept = lru_cache(maxsize=_ENTRIES)(function)

    @wraps(function)
    def result(text: str) -> Result:
        return kept(text) if len(text) <= _LONGEST else function(text)

    return result
