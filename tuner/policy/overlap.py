"""What queries took on the clock: several may run at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tuner.model.query import Query, QueryStatus


def clock_seconds(queries: Iterable[Query]) -> float:
    """Seconds on the clock in which a query ran."""
    covered, until = 0, 0
    for start, end in sorted((q.start_ms, q.end_ms) for q in queries):
        covered += max(0, end - max(start, until))
        until = max(until, end)
    return covered / 1e3


def clock_share(queries: Collection[Query]) -> float:
    """Seconds on the clock for each that finished queries took: 1 where none ran beside another, 1/8 where eight always did.

    Executors hold their cores once, however many queries run on them.
    """
    finished = [q for q in queries if q.status is QueryStatus.SUCCEEDED]
    together = sum(q.seconds for q in finished)
    return clock_seconds(finished) / together if together else 1.0
