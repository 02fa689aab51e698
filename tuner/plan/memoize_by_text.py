"""Results kept by text: plans repeat their texts, the one before AQE and the last one most of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_ENTRIES = 1024
_LONGEST = 2_000  # what is kept stays small, whatever a log holds

Result = TypeVar("Result")


class _Kept(dict[str, Result]):
    """The results of a function for so many texts; the next one more takes the place of all."""

    def __init__(self, function: Callable[[str], Result]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> Result:
        result = self._function(text)
        if len(text) <= _LONGEST:
            if len(self) >= _ENTRIES:
                self.clear()
            self[text] = result
        return result


def by_text(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Keep a pure function's results for the latest texts. Those of long texts are not kept."""
    return _Kept(function).__getitem__
