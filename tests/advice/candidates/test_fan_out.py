"""Joins that meet many more pairs of rows than they put out, for a condition beside their keys drops them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.broadcast_candidates import broadcast_candidates
from tuner.advice.candidates.fan_out import fans_out
from tuner.advice.candidates.hash_candidates import hash_candidates
from tuner.advice.steering_reach import Reach
from tuner.model.join_site import JoinSite, WrittenFiles
from tuner.model.query import Query
from tuner.model.query_work import QueryWork, StageWork
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.query_work import Resource

# Trades, each converted at the rate of its day: `currency = currency AND day BETWEEN valid_from AND valid_to`.
TRADES = side("shop.trades", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=9_000, leaf_bytes=10**9)
RATES = side("shop.rates", rows=200_000, shuffle_bytes=6_000_000, sort_ms=100, leaf_bytes=10**7)


def as_of(core_ms: int | None, *, has_condition: bool = True, strategy: Strategy = Strategy.SORT_MERGE) -> JoinSite:
    found = replace(inner(TRADES, RATES, strategy=strategy), core_ms=core_ms, tasks=200, has_condition=has_condition)
    return replace(found, build_side=None if strategy is Strategy.SORT_MERGE else BuildSide.RIGHT)


def on_busy_machine(join: JoinSite) -> Query:
    """Its tasks had a processor for a twentieth of their time."""
    return replace(query(join, seconds=300), executor_run_ms=400_000, executor_cpu_ms=20_000)


def in_stage(join: JoinSite, amounts: Mapping[str, float], cpu_ms: int = 140_000) -> Query:
    """Its stage did all this."""
    assert join.core_ms is not None
    return replace(query(join, seconds=300), work=QueryWork((StageWork(7, 200, join.core_ms, amounts, cpu_ms),)))


def beside_waiting(found: Query) -> Query:
    """Other tasks of its query waited for storage."""
    return replace(found, executor_run_ms=5_150_000, executor_cpu_ms=190_000)


ITS_OWN = {Resource.SORT: 20_200_000, Resource.MERGE: 20_200_000, Resource.EMIT: 20_000_000, Resource.TASK: 200}
WRITTEN = replace(as_of(150_000), written=WrittenFiles(200, 4_000_000_000))


@pytest.mark.parametrize(
    ("case", "slow_to_hash"),
    [
        pytest.param(query(as_of(20_000), seconds=60), False, id="few versions a key"),
        pytest.param(query(as_of(150_000), seconds=90), True, id="1,300 rates a currency"),
        pytest.param(query(as_of(150_000, has_condition=False), seconds=90), False, id="each pair is put out"),
        pytest.param(query(as_of(None), seconds=60), True, id="nothing tells how long its tasks ran"),
        pytest.param(on_busy_machine(as_of(150_000)), False, id="they waited for processors"),
        pytest.param(query(as_of(150_000, strategy=Strategy.SHUFFLED_HASH), seconds=90), True, id="hashed by tasks"),
        pytest.param(query(WRITTEN, seconds=90), False, id="its tasks write files"),
        pytest.param(beside_waiting(in_stage(as_of(150_000), ITS_OWN)), True, id="its tasks computed, others waited"),
        pytest.param(in_stage(as_of(150_000), ITS_OWN | {Resource.WINDOW: 90_000_000}), False, id="a window above"),
        pytest.param(in_stage(as_of(150_000), ITS_OWN, cpu_ms=10_000), False, id="its tasks waited for Python"),
    ],
)
def test_a_condition_may_drop_pairs_that_a_hash_relation_is_slow_to_find(case: Query, slow_to_hash: bool) -> None:
    (join,) = case.joins
    assert fans_out(case, join) is slow_to_hash
    job = facts(case, reach=Reach.AGENT)
    of_rates = [c for c in (*broadcast_candidates(job), *hash_candidates(job)) if c.hinted.relations == ("shop.rates",)]
    assert of_rates and {c.is_vetoed for c in of_rates} == {slow_to_hash}


def test_a_join_that_is_broadcast_has_met_its_pairs_in_a_hash_relation() -> None:
    case = query(as_of(150_000, strategy=Strategy.BROADCAST_HASH))
    assert not fans_out(case, case.joins[0])
