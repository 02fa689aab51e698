"""The calendar rule: a day counts by how far it is from the earliest day of its query, not by itself.

Directives are for queries whose filters have the values that were measured, and the nightly day is another value every
night. Literals.java has the same rule; both are tested by one table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

# 2024-01-05, 2024/01/05 or 20240105 as text, date, timestamp or number, with a time of day, an hour, a zone or none.
_DAY = re.compile(
    r"(?<![0-9A-Za-z.])(19[7-9][0-9]|2[01][0-9]{2})([-/]?)(0[1-9]|1[0-2])\2(0[1-9]|[12][0-9]|3[01])"
    r"(?:[T _-]?(?:[01][0-9]|2[0-3])(?::?[0-5][0-9]){0,2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    r"(?![0-9A-Za-z_])"
)


def days_apart(texts: Iterable[str]) -> list[str]:
    """The texts of one query, in each day's place how many bits the number of days since the earliest of them all has.

    A day is 0, two are 1, a week 3, any month 5, any year 9, whether the last day is named or the one after it.
    """
    kept = list(texts)
    first = min((day for text in kept for found in _DAY.finditer(text) if (day := _number(found))), default=0)

    def marked(found: re.Match[str]) -> str:
        day = _number(found)
        return f"\x01day{(day - first).bit_length()}" if day else found[0]

    return [_DAY.sub(marked, text) for text in kept]


def _number(found: re.Match[str]) -> int:
    """Days since year 1; 0 for what no calendar has."""
    try:
        return date(int(found[1]), int(found[3]), int(found[4])).toordinal()
    except ValueError:
        return 0
