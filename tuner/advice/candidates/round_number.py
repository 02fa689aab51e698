"""Round numbers for knobs: the same one night after night while what it rests on moves a little, and easy to read."""

from __future__ import annotations


def round_number(low: int, high: int) -> int:
    """The number of `low`..`high` (both at least 1) with the fewest significant digits; the largest of those."""
    step = int(10 ** (len(str(high)) - 1))
    while high // step * step < low:
        step //= 10
    return high // step * step
