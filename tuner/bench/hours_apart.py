"""How far apart runs began that are compared with one another."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

# Within it, what ran in turns ran on one machine; later, that may be busy or idle.
MOST_HOURS = 2.0


def hours_apart(starts: Iterable[str]) -> float:
    """From the first of these times (ISO 8601) to the last; "" is one that is not known."""
    found = [datetime.fromisoformat(start) for start in starts if start]
    return (max(found) - min(found)).total_seconds() / 3600 if found else 0.0
