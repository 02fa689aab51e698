"""What queries took on the clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.query import Query, QueryStatus
from tuner.policy.overlap import clock_share

from .histories import outcome


def spans(*each: tuple[float, float]) -> list[Query]:
    """Finished queries by start and end, in seconds."""
    took = outcome({f"q{number}": end - start for number, (start, end) in enumerate(each)}).queries
    return [replace(query, start_ms=int(start * 1000)) for query, (start, _) in zip(took, each, strict=True)]


@pytest.mark.parametrize(
    ("queries", "share"),
    [
        ([], 1.0),
        (spans((5, 5)), 1.0),
        (spans((0, 10), (10, 30)), 1.0),
        (spans((0, 10), (50, 60)), 1.0),
        (spans(*[(0, 10)] * 8), 1 / 8),
        (spans((0, 30), (10, 20)), 30 / 40),
        (spans((20, 40), (0, 30)), 40 / 50),
    ],
)
def test_a_second_in_which_several_ran_counts_once(queries: list[Query], share: float) -> None:
    assert clock_share(queries) == pytest.approx(share)


def test_queries_that_did_not_finish_count_neither_way() -> None:
    long, short = spans((0, 100), (0, 10))
    assert clock_share([replace(long, status=QueryStatus.FAILED), short]) == 1.0
    assert clock_share([replace(long, status=QueryStatus.UNFINISHED, duration_ms=None), short]) == 1.0
