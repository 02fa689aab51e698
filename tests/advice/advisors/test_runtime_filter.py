"""Runtime bloom filters for relations that later joins filter anyway."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.advisors.runtime_filter import advise_runtime_filters
from tuner.advice.candidates.bloom_filter_seconds import BUILD_SECONDS
from tuner.advice.facts import Facts
from tuner.model.query import Query
from tuner.model.strategy import JoinType
from tuner.spark.knobs import BLOOM_FILTER, BLOOM_FILTER_APPLICATION_THRESHOLD
from tuner.words.reasons import reason_words

DEFAULT_THRESHOLD = BLOOM_FILTER_APPLICATION_THRESHOLD.default
ENABLED = BLOOM_FILTER.property
THRESHOLD = BLOOM_FILTER_APPLICATION_THRESHOLD.property

FILES = 900_000_000


def star(
    kept_rows: int = 200_000,
    *,
    seconds: float = 60.0,
    type_: JoinType = JoinType.INNER,
    item_estimate: int | None = None,
) -> Query:
    """Sales are shuffled to meet returns; only then a join with a few items drops most of them."""
    sales = side("sales", rows=20_000_000, shuffle_bytes=900_000_000, file_bytes=FILES, sort_ms=12_000)
    returns = side("returns", rows=2_000_000, shuffle_bytes=90_000_000, file_bytes=60_000_000, sort_ms=900)
    low = inner(sales, returns, 20_000_000)
    joined = side("sales", "returns", rows=20_000_000, shuffle_bytes=900_000_000, sort_ms=9_000)
    items = replace(side("item", rows=300, shuffle_bytes=30_000), estimated_bytes=item_estimate)
    top = inner(joined, items, kept_rows, keys=(("sales.item", "item.id"),), type_=type_)
    return query(top, low, seconds=seconds)


def _conf(job: Facts) -> dict[str, str]:
    return {a.target: a.value for r in advise_runtime_filters(job) for a in r.actions}


def test_the_threshold_comes_to_just_below_the_files_of_what_is_worth_filtering() -> None:
    conf = _conf(facts(star()))
    assert FILES / 1.5 < int(conf[THRESHOLD]) < FILES
    assert ENABLED not in conf


def test_a_side_that_the_planner_takes_for_small_makes_a_filter() -> None:
    assert THRESHOLD in _conf(facts(star(item_estimate=10_000_000)))
    larger = {"spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold": "20m"}
    assert THRESHOLD in _conf(facts(star(item_estimate=11_000_000), conf=larger))


def test_it_says_what_is_dropped_in_numbers() -> None:
    (found,) = advise_runtime_filters(facts(star()))
    assert "filter sales (20.0M rows) before its shuffle by the join keys of item" in reason_words(found.reason)
    assert "keep 1.0%" in reason_words(found.reason)
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high
    assert 0 < predicted.gain <= 0.8 * 60


def test_filters_that_other_queries_would_get_for_nothing_count_as_risk() -> None:
    idle = [star(kept_rows=20_000_000) for _ in range(10)]
    (alone,) = advise_runtime_filters(facts(star()))
    (among_others,) = advise_runtime_filters(facts(star(), *idle))
    assert alone.prediction.high < alone.prediction.before
    predicted = among_others.prediction
    assert predicted.high - (predicted.before - 0.2 * predicted.gain) == pytest.approx(10 * BUILD_SECONDS)


def test_it_is_switched_on_where_it_is_off_by_default() -> None:
    assert _conf(facts(star(), version="3.3.2"))[ENABLED] == "true"


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(facts(star(), version="3.2.4"), id="before SPARK-32268"),
        pytest.param(facts(star(), version=""), id="version unknown"),
        pytest.param(facts(star(), conf={ENABLED: "false"}), id="someone switched it off"),
        pytest.param(facts(star(), conf={THRESHOLD: "1m"}), id="the threshold is lower already"),
        pytest.param(facts(star(kept_rows=15_000_000)), id="most rows are kept"),
        pytest.param(facts(star(type_=JoinType.LEFT_OUTER)), id="an outer join drops nothing"),
        pytest.param(facts(star(seconds=0.3)), id="nothing to gain"),
        pytest.param(
            facts(star(item_estimate=11_000_000)), id="Spark makes no filter of a side that it takes for 11 MB"
        ),
        pytest.param(facts(query()), id="no joins"),
    ],
)
def test_what_is_left_alone(job: Facts) -> None:
    assert not _conf(job)


def test_a_join_without_keys_filters_by_nothing() -> None:
    job = star()
    top, low = job.joins
    crossed = inner(top.left, top.right, 200_000, keys=())
    assert not _conf(facts(query(crossed, low, seconds=60)))
