"""Head-room for what grows, where nothing else holds a hint back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.broadcast_candidates import threshold_candidates
from tuner.advice.candidates.growth import MOST_HEAD_ROOM, Growth, head_room_factor
from tuner.advice.facts import PastRun
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
        ([100, 200, 400, 800], MOST_HEAD_ROOM),
        ([800, 400, 200, 100], MOST_HEAD_ROOM),
        ([100, 100, 100, 1000, 100, 100], MOST_HEAD_ROOM),
        ([100, 100, 300, 100, 100], 3),
        ([100, 90, 90, 81], 100 / 81),
        ([0, 0, 7], 1),
    ],
)
def test_room_is_by_the_trend_and_by_the_largest_seen(rows: Sequence[int], factor: float) -> None:
    assert head_room_factor(rows) == pytest.approx(factor, rel=0.01)


def _night(rows: int, leaf_bytes: int | None = None) -> Query:
    dims = side("dim", rows=rows, shuffle_bytes=rows * 20, leaf_bytes=leaf_bytes)
    return query(
        inner(side("fact", rows=10**8, shuffle_bytes=10**10), dims, strategy=Strategy.SORT_MERGE), fingerprint="q"
    )


def _is_vetoed(reach: Reach, *rows: int, leaf_bytes: int | None = None) -> bool:
    *earlier, now = (_night(count, leaf_bytes) for count in rows)
    given = replace(facts(now), reach=reach, earlier=tuple(PastRun((night,)) for night in earlier))
    (broadcast,) = (c for c in threshold_candidates(given) if c.side is BuildSide.RIGHT)
    return broadcast.is_vetoed


def test_a_hint_in_sql_text_keeps_room_for_the_weekends_that_were_seen() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.TEXT, fits)
    assert not _is_vetoed(Reach.TEXT, fits, fits, fits)
    assert _is_vetoed(Reach.TEXT, 10 * fits, fits)


def test_the_agent_sees_each_run_by_itself() -> None:
    fits = CAP.one_bytes // 200
    assert not _is_vetoed(Reach.AGENT, 10 * fits, fits, leaf_bytes=1000)
    assert _is_vetoed(Reach.AGENT, 10 * fits, fits)


def test_a_query_that_ran_twice_in_a_run_is_one_measurement() -> None:
    given = replace(facts(_night(5), _night(7)), reach=Reach.TEXT)
    join = given.queries[1].joins[0]
    assert Growth(given).factor(given.queries[1], join, join.right) == 1
