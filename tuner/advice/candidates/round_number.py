"""Round numbers for properties: they stay the same while their inputs change a little, and are easy to read."""

from __future__ import annotations


def round_number(low: int, high: int) -> int:
    """The number of `low`..`high` (both at least 1) with the fewest significant digits; the largest of those."""
    step = int(10 ** (len(str(high)) - 1))
    while high // step * step < low:
        step //= 10
    return high // step * step
