"""Head-room for what grows, where nothing else holds a hint back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.broadcast_candidates import threshold_candidates
from tuner.advice.candidates.growth import MOST_TREND, Growth, head_room_factor
from tuner.advice.candidates.hash_candidates import hash_candidates
from tuner.advice.facts import Facts, PastRun
from tuner.advice.steering_reach import Reach
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy

CAP = facts().cap


@pytest.mark.parametrize(
    ("rows", "factor"),
    [
        ([], 1),
        ([100], 1),
        ([100, 110, 121], 1),
        ([100, 110, 121, 133], 1.1**7),
        ([100, 200, 400, 800], MOST_TREND),
        ([800, 400, 200, 100], 8),
        ([100, 100, 100, 1000, 100, 100], 10),
        ([100, 100, 300, 100, 100], 3),
        ([100, 90, 90, 81], 100 / 81),
        ([0, 0, 7], 1),
        ([7_000_000, 7], 1_000_000),
        ([7_000_000, 0], math.inf),
        ([0], math.inf),
    ],
)
def test_room_is_by_the_trend_and_by_the_largest_seen(rows: Sequence[int], factor: float) -> None:
    assert head_room_factor(rows) == pytest.approx(factor, rel=0.01)


def _night(rows: int, leaf_bytes: int | None = None) -> Query:
    dims = side("dim", rows=rows, shuffle_bytes=rows * 20, leaf_bytes=leaf_bytes)
    return query(
        inner(side("fact", rows=10**8, shuffle_bytes=10**10), dims, strategy=Strategy.SORT_MERGE), fingerprint="q"
    )


def _nights(reach: Reach, *rows: int, leaf_bytes: int | None = None) -> Facts:
    *earlier, now = (_night(count, leaf_bytes) for count in rows)
    return replace(facts(now), reach=reach, earlier=tuple(PastRun((night,)) for night in earlier))


def _is_vetoed(reach: Reach, *rows: int, leaf_bytes: int | None = None, after_shuffles: bool = False) -> bool:
    given = _nights(reach, *rows, leaf_bytes=leaf_bytes)
    found = threshold_candidates(given, after_shuffles=after_shuffles)
    (broadcast,) = (c for c in found if c.side is BuildSide.RIGHT)
    return broadcast.is_vetoed


def test_a_hint_in_sql_text_keeps_room_for_the_weekends_that_were_seen() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.TEXT, fits)
    assert not _is_vetoed(Reach.TEXT, fits, fits, fits)
    assert _is_vetoed(Reach.TEXT, 10 * fits, fits)


@pytest.mark.parametrize("sunday", [7, 0])
@pytest.mark.parametrize("reach", [Reach.TEXT, Reach.CONF])
def test_a_sunday_is_not_taken_for_all_days(reach: Reach, sunday: int) -> None:
    """On working days it has 50 million rows; one day on which it is all but empty, or empty, is the latest."""
    assert not _is_vetoed(reach, 7, 7)
    assert _is_vetoed(reach, 50_000_000, sunday)
    (hashed,) = (c for c in hash_candidates(_nights(reach, 50_000_000, sunday)) if c.side is BuildSide.RIGHT)
    assert hashed.is_vetoed


def test_what_was_empty_whenever_it_was_looked_at_tells_of_no_size() -> None:
    assert _is_vetoed(Reach.TEXT, 0)
    assert _is_vetoed(Reach.TEXT, 0, 0)
    assert not _is_vetoed(Reach.AGENT, 0, leaf_bytes=1000), "the agent compares files"


def test_of_several_executions_in_a_run_the_largest_counts() -> None:
    """Tenants in a loop, the smallest last."""
    fits = CAP.one_bytes // 200
    given = replace(facts(_night(fits)), reach=Reach.TEXT, earlier=(PastRun((_night(10 * fits), _night(fits))),))
    (broadcast,) = (c for c in threshold_candidates(given) if c.side is BuildSide.RIGHT)
    assert broadcast.is_vetoed


def test_so_does_the_planners_threshold_for_a_filter_may_keep_more_of_files_that_are_as_large() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.CONF, fits, fits)
    assert _is_vetoed(Reach.CONF, 10 * fits, fits)


def test_aqes_is_compared_with_what_it_counts_in_each_run() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.CONF, 10 * fits, fits, after_shuffles=True)


def test_what_tasks_hash_keeps_room_whatever_property_lets_them() -> None:
    """That of AQE is compared with partitions as compressed."""
    fits = facts().task_cap_bytes // 200
    for nights, is_vetoed in (((fits, fits), False), ((10 * fits, fits), True)):
        (hashed,) = (c for c in hash_candidates(_nights(Reach.CONF, *nights)) if c.side is BuildSide.RIGHT)
        assert hashed.is_vetoed == is_vetoed


def test_the_agent_sees_each_run_by_itself() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.AGENT, 10 * fits, fits, leaf_bytes=1000)
    assert _is_vetoed(Reach.AGENT, 10 * fits, fits)


def test_a_query_that_ran_twice_in_a_run_is_one_measurement() -> None:
    given = replace(facts(_night(5), _night(7)), reach=Reach.TEXT)
    join = given.queries[1].joins[0]
    assert Growth(given).factor(given.queries[1], join, join.right) == 1
