"""A broadcast that AQE found in time, by chance, is made sure of where being late would cost much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import broadcast_by_aqe, facts, inner, query, side
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.advisors.secured_broadcast import advise_secured_broadcasts
from tuner.advice.facts import PastRun
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import JoinType, Strategy
from tuner.words.reasons import reason_words

DIM = side("date_dim", rows=5_000, shuffle_bytes=120_000)
RESULT = side("item", "store_sales", rows=20_000_000)
MOVED = side("item", "store_sales", rows=20_000_000, shuffle_bytes=800_000_000)


def turned(
    probe: JoinSide = RESULT,
    build: JoinSide = DIM,
    planned: Strategy = Strategy.SORT_MERGE,
    type: JoinType = JoinType.INNER,
) -> JoinSite:
    """A join that AQE made a broadcast before the other side was shuffled."""
    return broadcast_by_aqe(probe, build, planned, type=type)


def ran(join: JoinSite, *others: JoinSite, seconds: float = 6) -> Query:
    return query(join, *others, seconds=seconds, fingerprint="q1")


def test_it_is_broadcast_from_the_start_and_need_not_gain_in_each_run() -> None:
    join = turned()
    (found,) = advise_secured_broadcasts(facts(ran(join), per_join=True))
    assert found.actions == (Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q1", ("date_dim",)),)
    assert found.secures
    assert found.prediction is not None
    assert found.prediction.after == found.prediction.high == 6
    assert found.prediction.before > 6
    assert not list(advise_broadcast_hints(facts(ran(join), per_join=True)))


def test_in_a_loop_it_is_what_all_executions_may_lose_that_counts() -> None:
    few = ran(turned(side("item", "store_sales", rows=200_000)), seconds=0.6)
    loop = [replace(few, id=n, root_id=n) for n in range(100)]
    assert not list(advise_secured_broadcasts(facts(few, per_join=True)))
    assert len(list(advise_secured_broadcasts(facts(*loop, per_join=True)))) == 1


def test_it_says_what_is_at_stake_and_how_often_it_came_in_time() -> None:
    earlier = [PastRun((ran(join),)) for join in (turned(), turned(MOVED), turned(planned=Strategy.BROADCAST_HASH))]
    (found,) = advise_secured_broadcasts(replace(facts(ran(turned()), per_join=True), earlier=tuple(earlier)))
    words = reason_words(found.reason)
    assert (
        "AQE broadcast it in time in 2 of 3 runs; when it is late, it first shuffles 20.0M rows (at least 480 MB)"
        in words
    )
    evidence = {e.what: e.value for e in found.evidence}
    assert (evidence["broadcast late"], evidence["broadcast in time"]) == (1, 2)


def test_the_oftener_it_was_late_the_more_is_expected_of_it() -> None:
    def gain(*probes: JoinSide) -> float:
        earlier = tuple(PastRun((ran(turned(probe)),)) for probe in probes)
        (found,) = advise_secured_broadcasts(replace(facts(ran(turned()), per_join=True), earlier=earlier))
        assert found.prediction is not None
        return found.prediction.gain

    assert gain(RESULT, RESULT) < gain() < gain(MOVED) < gain(MOVED, MOVED)


SAME_KEYS = inner(
    side("item", rows=18_000, shuffle_bytes=10**6), side("store_sales", rows=20_000_000, shuffle_bytes=10**9)
)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(ran(turned(planned=Strategy.BROADCAST_HASH)), id="it was planned so"),
        pytest.param(ran(turned(MOVED)), id="it came late, which has advice of its own"),
        pytest.param(
            ran(turned(build=side("date_dim", rows=5_000))), id="the planner sent it there: nothing was shuffled"
        ),
        pytest.param(ran(turned(side("item", "store_sales"))), id="the other side was not counted"),
        pytest.param(ran(turned(side("item", "store_sales", rows=10_000))), id="little is at stake"),
        pytest.param(ran(turned(), seconds=600), id="little of the query is at stake"),
        pytest.param(ran(turned(type=JoinType.FULL_OUTER)), id="a side that cannot be built"),
        pytest.param(ran(turned(build=side("big", rows=10**8, shuffle_bytes=10**10))), id="too large to be sure of"),
    ],
)
def test_where_it_is_not(found: Query) -> None:
    assert not list(advise_secured_broadcasts(facts(found, per_join=True)))


def test_a_join_on_the_keys_of_the_join_below_needs_no_shuffle() -> None:
    keyed = replace(turned(), keys=(("store_sales.item", "date_dim.k"),))
    same = replace(SAME_KEYS, keys=(("item.k", "store_sales.item"),))
    other = replace(SAME_KEYS, keys=(("item.k", "store_sales.other"),))
    assert not list(advise_secured_broadcasts(facts(ran(keyed, same), per_join=True)))
    assert list(advise_secured_broadcasts(facts(ran(keyed, other), per_join=True)))


@pytest.mark.parametrize(("map_core_ms", "advised"), [(200, True), (60_000, False)])
def test_what_other_joins_read_of_its_shuffle_is_made_once_more(map_core_ms: int, advised: bool) -> None:
    shuffle = ShuffleExchange(200, 120_000, 10**5, 5_000, 4, adjustable=True, map_core_ms=map_core_ms)
    job = replace(ran(turned(build=replace(DIM, readers=2))), shuffles=(shuffle,))
    assert bool(list(advise_secured_broadcasts(facts(job, per_join=True)))) is advised


def test_without_a_way_to_reach_the_join_there_is_none() -> None:
    assert not list(advise_secured_broadcasts(facts(ran(turned()), per_join=False)))
