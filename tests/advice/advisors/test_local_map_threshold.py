"""The threshold under which AQE hashes sort merge joins, where only conf can be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import GIB, facts, inner, query, query_25, query_72, side
from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.advisors.local_map_threshold import advise_local_map_thresholds
from tuner.advice.facts import Facts
from tuner.model.change import Change
from tuner.model.join_site import JoinSide
from tuner.model.query import Query, QueryStatus, ShuffleExchange
from tuner.model.query_work import WorkInBrief
from tuner.model.strategy import JoinType, Strategy
from tuner.spark.knobs import BROADCAST_THRESHOLD, LOCAL_MAP_THRESHOLD
from tuner.words.reasons import reason_words

STATIC = BROADCAST_THRESHOLD.property
KEY = LOCAL_MAP_THRESHOLD.property

MIB = 1 << 20
CUSTOMERS = side("customer", rows=300_000, shuffle_bytes=20_000_000, sort_ms=500)
SALES = side("store_sales", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=30_000)


def _shuffle(of: JoinSide, written: int, partitions: int = 200) -> ShuffleExchange:
    return ShuffleExchange(partitions, of.shuffle_bytes, written, of.rows, 2, True)


def _job(left: JoinSide = SALES, right: JoinSide = CUSTOMERS, written: int = 8_000_000, **join: object) -> Query:
    shuffles = (_shuffle(left, 40_000 * MIB), _shuffle(right, written))
    return query(inner(left, right, **join), seconds=60, fingerprint="q", shuffles=shuffles)  # type: ignore[arg-type]


def _advised(*queries: Query, conf: dict[str, str] | None = None, **more: object) -> list[Change]:
    """What is advised where broadcasts are switched off."""
    found = list(advise_local_map_thresholds(facts(*queries, conf={STATIC: "-1"} | (conf or {}), **more)))  # type: ignore[arg-type]
    assert len(found) <= 1
    return found


def test_the_advisory_size_is_the_least_that_counts() -> None:
    (found,) = _advised(_job())
    assert [(a.target, a.value) for a in found.actions] == [(KEY, str(64 * MIB))]
    assert found.queries == ("q",)
    assert reason_words(found.reason).startswith(
        "hash instead of sorting both sides in 1 join: a task then holds at most"
    )
    assert {e.what: e.value for e in found.evidence}["build side rows"] == 300_000
    predicted = found.prediction
    assert 0 <= predicted.low < predicted.after < predicted.high < predicted.before == 60


def test_it_follows_the_advisory_size_of_the_conf() -> None:
    conf = {"spark.sql.adaptive.advisoryPartitionSizeInBytes": "32m"}
    (found,) = _advised(_job(), conf=conf)
    assert found.actions[0].value == str(32 * MIB)


def test_partitions_over_the_advisory_size_ask_for_a_threshold_of_their_own() -> None:
    """Large rows that memory takes: a mean of 20 MB as written, 100 MB in the largest."""
    wide = replace(CUSTOMERS, shuffle_bytes=80_000_000)
    sales = replace(SALES, shuffle_bytes=80_000_000_000)
    case = query(inner(sales, wide), seconds=60, shuffles=(_shuffle(sales, 10**11, 4), _shuffle(wide, 80_000_000, 4)))
    roomy = replace(facts().cluster, executor_memory_bytes=16 * GIB)
    (found,) = _advised(case, cluster=roomy)
    assert found.actions[0].value == "80000000"


@pytest.mark.parametrize(
    "vetoed",
    [
        pytest.param(_job(output_rows=90_000_000), id="many rows out per row in"),
        pytest.param(query_72(), id="query 72: 13 s merged, 348 s hashed"),
        pytest.param(replace(_job(), status=QueryStatus.FAILED), id="a failed query's rows are not all"),
        pytest.param(_job(right=replace(CUSTOMERS, rows=90_000_000)), id="more than a task holds"),
        pytest.param(_job(right=replace(CUSTOMERS, rows=None)), id="rows unknown"),
    ],
)
def test_a_threshold_that_would_hash_what_must_not_be_is_out(vetoed: Query) -> None:
    assert not _advised(_job(), vetoed)


@pytest.mark.parametrize(
    "bystander",
    [
        pytest.param(_job(output_rows=90_000_000, strategy=Strategy.BROADCAST_HASH), id="broadcast"),
        pytest.param(
            _job(
                right=replace(CUSTOMERS, shuffle_bytes=None), left=replace(SALES, shuffle_bytes=None), output_rows=10**9
            ),
            id="not shuffled for the join",
        ),
        pytest.param(_job(left=CUSTOMERS, right=SALES, written=40_000 * MIB, type_=JoinType.LEFT_SEMI), id="large"),
    ],
)
def test_what_it_does_not_turn_does_not_count(bystander: Query) -> None:
    assert _advised(_job(), bystander)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"per_join": True}, id="hints reach each join"),
        pytest.param({"conf": {KEY: "0"}}, id="someone set it"),
        pytest.param({"conf": {"spark.sql.adaptive.enabled": "false"}}, id="without AQE"),
        pytest.param({"version": "3.1.3"}, id="before SPARK-35282"),
    ],
)
def test_where_it_says_nothing(more: dict[str, object]) -> None:
    assert not _advised(_job(), **more)  # type: ignore[arg-type]


def test_another_engines_joins_and_those_left_out_of_the_store_may_be_turned_too() -> None:
    other = query(seconds=1)
    assert _advised(_job(), other)
    assert not _advised(_job(), replace(other, has_other_joins=True))
    assert not _advised(_job(), replace(other, work_in_brief=WorkInBrief(1.0, 0)))


def test_a_cheap_sort_is_left_alone() -> None:
    assert not _advised(_job(left=replace(SALES, sort_ms=100), right=replace(CUSTOMERS, sort_ms=10)))


def test_a_join_that_loses_counts_against_those_that_gain() -> None:
    loses = _job(left=replace(SALES, sort_ms=None), right=replace(CUSTOMERS, sort_ms=None))
    (alone,), (together,) = _advised(_job()), _advised(_job(), loses)
    assert together.prediction.gain < alone.prediction.gain


def test_a_query_that_a_broadcast_threshold_is_advised_for_is_left_to_it() -> None:
    """Query 25: 7 s merged, 4 s broadcast."""
    assert list(advise_broadcast_thresholds(facts(query_25())))
    assert not list(advise_local_map_thresholds(facts(query_25())))
    assert _advised(query_25())


def test_query_25_with_query_72_is_left_alone() -> None:
    job: Facts = facts(query_25(), query_72())
    assert not list(advise_local_map_thresholds(job))
