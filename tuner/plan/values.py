"""Values as they are kept: each as a short digest, never in plain, for they may be personal data or secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from tuner.plan.days_apart import days_apart
from tuner.plan.digest import digest

# Between the parts of a condition as Catalyst prints it: what is left is a column, a function or a value.
_BETWEEN = re.compile(r"[(),]| (?:<=>|<=|>=|=|<|>|AND|OR|IN|INSET|LIKE|WHEN|THEN|ELSE|END|\+|-|\*|/|%)(?= |$)")
MOST_VALUES = 1000


def value_digest(value: str) -> str:
    """12 hex digits of a value: the same for 5, 5.00 and -5, and for a pattern and what it looks for."""
    text = value.strip().strip("%").removeprefix("-")
    try:
        number = Decimal(text)
        text = str(number.normalize()) if number.is_finite() else text
    except (ArithmeticError, ValueError):
        pass
    return digest(text)[:12]


def is_day(value: str) -> bool:
    """Whether the calendar rule is for a value: it does not count by itself."""
    return days_apart([value]) != [value]


def values_in(conditions: Iterable[str]) -> tuple[str, ...]:
    """The digests of all that stands in conditions, the first so many."""
    found = {value_digest(part) for text in conditions for part in _BETWEEN.split(text) if part.strip()}
    return tuple(sorted(found)[:MOST_VALUES])
