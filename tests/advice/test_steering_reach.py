"""What a hint reaches: what SQL text can name, or any join that the agent can tell apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.advisors.cbo import advise_cbo
from tuner.advice.steering_reach import Reach, reach_of
from tuner.model.join_site import JoinSide
from tuner.words.reasons import reason_words

from .joins import facts, inner, query, query_25, side

ONE, OTHER, SEVERAL = side("db.a"), side("db.b"), side("db.b", "db.c")


@pytest.mark.parametrize(
    ("left", "right", "reached"),
    [
        (ONE, OTHER, {Reach.TEXT, Reach.AGENT}),
        (ONE, SEVERAL, {Reach.AGENT}),
        (ONE, ONE, set()),
        (SEVERAL, SEVERAL, set()),
    ],
)
def test_which_sides_a_hint_can_mean(left: JoinSide, right: JoinSide, reached: set[Reach]) -> None:
    join = inner(left, right)
    assert {reach for reach in Reach if reach.hints(join, join.right)} == reached


def test_the_agent_leaves_a_join_that_the_job_hints() -> None:
    join = replace(inner(ONE, OTHER), hinted=True)
    assert {reach for reach in Reach if reach.hints(join, join.right)} == {Reach.TEXT}


@pytest.mark.parametrize(
    ("version", "agent", "text", "reach"),
    [
        ((4, 0), True, False, Reach.AGENT),
        ((3, 3), True, True, Reach.AGENT),
        ((0, 0), True, False, Reach.AGENT),
        ((3, 2), True, False, Reach.CONF),
        ((3, 2), True, True, Reach.TEXT),
        ((4, 0), False, True, Reach.TEXT),
        ((4, 0), False, False, Reach.CONF),
    ],
)
def test_what_a_run_is_steered_by(version: tuple[int, int], agent: bool, text: bool, reach: Reach) -> None:
    assert reach_of(version, agent=agent, text=text) is reach


def test_only_the_agent_broadcasts_what_is_itself_a_join() -> None:
    """TPC-DS 25: the small side is sales joined with returns, which no text can name."""
    advised = {reach: list(advise_broadcast_hints(facts(query_25(), reach=reach))) for reach in Reach}
    assert not advised[Reach.CONF] and not advised[Reach.TEXT]
    (found,) = advised[Reach.AGENT]
    assert found.actions[0].relations == ("store_returns", "store_sales")
    assert reason_words(found.reason).startswith("broadcast store_returns+store_sales (198k rows, 14.3 MB)")


def test_with_the_agent_no_threshold_is_moved_and_no_statistics_are_gathered_for_orders() -> None:
    job = facts(query_25(), reach=Reach.AGENT)
    assert not list(advise_broadcast_thresholds(job))
    assert not list(advise_cbo(job))


def test_two_joins_of_one_signature_share_their_hint_and_its_veto() -> None:
    large = side("db.d", rows=9_000_000, shuffle_bytes=10**9, sort_ms=9_000)
    small = side("db.b", "db.c", rows=1_000, shuffle_bytes=50_000, sort_ms=1)
    too_large = side("db.b", "db.c", rows=50_000_000, shuffle_bytes=4 * 10**9, sort_ms=60_000)
    fits = inner(large, small)
    both = query(fits, inner(large, too_large, keys=fits.keys, occurrence=1), seconds=90)
    assert list(advise_broadcast_hints(facts(query(fits, seconds=90), reach=Reach.AGENT)))
    assert not list(advise_broadcast_hints(facts(both, reach=Reach.AGENT)))
