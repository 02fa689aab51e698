"""By how much a job's inputs may grow by its next run."""

from __future__ import annotations

from collections.abc import Iterable

# Inputs may grow once more by as much as they did, but not by more than twice.
MOST_GROWTH = 2.0


def input_growth(input_bytes: Iterable[int]) -> float:
    """By how much a run's inputs were larger than those of all before it, at most; `input_bytes` are the runs', oldest first."""
    most, growth = 0, 1.0
    for read in input_bytes:
        if most and read > most:
            growth = max(growth, read / most)
        most = max(most, read)
    return min(MOST_GROWTH, growth)
