"""Where a Spark loses rows of shuffled hash joins, no hint in text and no threshold makes one; the agent looks for itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import CLUSTER, GIB, facts, inner, query, side
from tuner.advice.advisors.build_side import advise_build_sides
from tuner.advice.advisors.local_map_threshold import advise_local_map_thresholds
from tuner.advice.advisors.shuffle_hash import advise_shuffle_hashes
from tuner.advice.steering_reach import Reach
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.knobs import BROADCAST_THRESHOLD

SMALL_DRIVER = replace(CLUSTER, driver_memory_bytes=GIB // 2, executor_memory_bytes=16 * GIB)
LOOKUP = side("lookup", rows=300_000, shuffle_bytes=20_000_000, sort_ms=500)
DATA = side("data", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=30_000)
TESTS = (JoinType.LEFT_SEMI, JoinType.LEFT_ANTI, JoinType.EXISTENCE)


def _test(type_: JoinType) -> Query:
    shuffles = tuple(
        ShuffleExchange(200, one.shuffle_bytes, written, one.rows, 2, True)
        for one, written in ((DATA, 40_000 << 20), (LOOKUP, 8_000_000))
    )
    return query(inner(DATA, LOOKUP, type_=type_), seconds=60, shuffles=shuffles)


@pytest.mark.parametrize("type_", TESTS)
@pytest.mark.parametrize(
    ("version", "hashed"), [("3.3.4", False), ("3.5.6", False), ("3.5.7", True), ("4.0.0", False), ("4.0.1", True)]
)
def test_a_test_that_may_have_a_condition_besides_its_keys(type_: JoinType, version: str, hashed: bool) -> None:
    case, conf = _test(type_), {BROADCAST_THRESHOLD.property: "-1"}
    by_text = facts(case, per_join=True, cluster=SMALL_DRIVER, version=version)
    assert bool(list(advise_shuffle_hashes(by_text))) is hashed
    assert bool(list(advise_local_map_thresholds(facts(case, conf=conf, version=version)))) is hashed
    assert list(advise_shuffle_hashes(facts(case, reach=Reach.AGENT, cluster=SMALL_DRIVER, version=version)))


@pytest.mark.parametrize(("version", "hashed"), [("3.5.2", False), ("3.5.3", True), ("4.0.0", True)])
def test_an_outer_join_that_builds_the_side_whose_rows_all_stay(version: str, hashed: bool) -> None:
    merged = inner(LOOKUP, DATA, type_=JoinType.LEFT_OUTER)
    by_text = facts(query(merged, seconds=60), per_join=True, cluster=SMALL_DRIVER, version=version)
    assert bool(list(advise_shuffle_hashes(by_text))) is hashed
    built = replace(merged, strategy=Strategy.SHUFFLED_HASH, build_side=BuildSide.RIGHT)
    by_text = facts(query(built, seconds=60), per_join=True, cluster=SMALL_DRIVER, version=version)
    assert bool(list(advise_build_sides(by_text))) is hashed
