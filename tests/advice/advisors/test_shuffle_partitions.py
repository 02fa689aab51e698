"""Shuffle partitions from bytes."""

from __future__ import annotations

import pytest

from tests.advice.joins import facts, query
from tuner.advice.advisors.shuffle_partitions import TARGET_BYTES, advise_shuffle_partitions
from tuner.advice.facts import Facts
from tuner.model.cluster import Cluster
from tuner.model.query import Query, QueryStatus, ShuffleExchange
from tuner.spark.knobs import COALESCE_INITIAL_PARTITIONS, SHUFFLE_PARTITIONS
from tuner.words.reasons import reason_words

INITIAL = COALESCE_INITIAL_PARTITIONS.property
KEY = SHUFFLE_PARTITIONS.property

CORES = 8
CLUSTER = Cluster(cores=CORES, executors=2, cores_per_executor=4)


def shuffled(
    data_bytes: int | None,
    *,
    spilled: int = 0,
    partitions: int = 200,
    adjustable: bool = True,
    seconds: float = 20,
    status: QueryStatus = QueryStatus.SUCCEEDED,
) -> Query:
    exchange = ShuffleExchange(partitions, data_bytes, data_bytes, 1000, 100, adjustable)
    return query(seconds=seconds, shuffles=(exchange,) * 4, spilled_bytes=spilled, status=status)


def _advised(*queries: Query, **kwargs: object) -> int | None:
    found = list(advise_shuffle_partitions(facts(*queries, cluster=CLUSTER, **kwargs)))  # type: ignore[arg-type]
    assert len(found) <= 1
    return int(found[0].actions[0].value) if found else None


def test_small_shuffles_need_few_partitions_but_some_for_each_core() -> None:
    assert _advised(shuffled(50_000_000)) == 4 * CORES


def test_bytes_decide_with_room_to_grow() -> None:
    wanted = _advised(shuffled(40 * TARGET_BYTES))
    assert wanted is not None
    assert wanted % CORES == 0
    assert 40 < wanted <= 80


def test_it_says_why_in_numbers() -> None:
    (found,) = advise_shuffle_partitions(facts(shuffled(50_000_000), cluster=CLUSTER))
    assert "32 shuffle partitions instead of 200" in reason_words(found.reason)
    assert "50.0 MB" in reason_words(found.reason)
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high


def test_large_shuffles_that_spilled_get_more() -> None:
    """TPC-DS at SF10: 16 instead of 200 made q04 70 s instead of 53 s: too few partitions spill."""
    assert (_advised(shuffled(800 * TARGET_BYTES, spilled=10**11, seconds=500)) or 0) >= 800


@pytest.mark.parametrize(
    ("case", "conf"),
    [
        pytest.param(shuffled(800 * TARGET_BYTES, seconds=500), {}, id="large, but nothing spilled"),
        pytest.param(shuffled(800 * TARGET_BYTES, spilled=1000, seconds=500), {}, id="too little spilled to matter"),
        pytest.param(shuffled(50_000_000, spilled=10**9), {}, id="small, but spilling: fewer would spill more"),
        pytest.param(shuffled(200 * TARGET_BYTES), {}, id="about right"),
        pytest.param(shuffled(50_000_000, adjustable=False), {}, id="the user gave the number"),
        pytest.param(shuffled(50_000_000), {INITIAL: "64"}, id="AQE starts from a number of the user's"),
        pytest.param(shuffled(None), {}, id="not measured"),
        pytest.param(shuffled(50_000_000, status=QueryStatus.FAILED), {}, id="failed"),
        pytest.param(query(), {}, id="no shuffles"),
    ],
)
def test_what_is_left_alone(case: Query, conf: dict[str, str]) -> None:
    assert _advised(case, conf=conf) is None


def test_a_failed_querys_large_shuffle_counts_for_its_bytes() -> None:
    large = shuffled(200 * TARGET_BYTES, status=QueryStatus.FAILED)
    assert _advised(shuffled(50_000_000), large) is None


@pytest.mark.parametrize("value", ["", "auto", "²", "0", "-5"])
def test_an_unreadable_setting_breaks_nothing(value: str) -> None:
    job = facts(shuffled(50_000_000), shuffled(800 * TARGET_BYTES, spilled=10**11), cluster=CLUSTER, conf={KEY: value})
    assert isinstance(list(advise_shuffle_partitions(job)), list)


def test_unknown_cores_give_no_advice() -> None:
    job: Facts = facts(shuffled(50_000_000), cluster=Cluster())
    assert not list(advise_shuffle_partitions(job))
