"""The columns that a filter takes without nulls, and nothing else tells of."""

from __future__ import annotations

import re
from itertools import takewhile

from tuner.plan.expression import conjuncts
from tuner.plan.memoize_by_text import by_text

_NOT_NULL = re.compile(r"isnotnull\(([^()\s]+)\)")


@by_text
def without_nulls(text: str) -> tuple[str, ...]:
    """What stands in `isnotnull(…)` before any other condition, for another one can hold a string that looks like it."""
    found = map(_NOT_NULL.fullmatch, conjuncts(text.removeprefix("Filter ")))
    return tuple(match[1] for match in takewhile(bool, found) if match)
