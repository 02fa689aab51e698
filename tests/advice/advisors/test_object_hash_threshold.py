"""How many keys an aggregation into objects may hash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import GIB, aggregate, facts, query
from tuner.advice.advisors.object_hash_threshold import advise_object_hash_threshold
from tuner.advice.facts import Facts, PastRun
from tuner.model.cluster import Cluster
from tuner.model.query import AggregateSite, Query, QueryStatus
from tuner.model.query_work import QueryWork
from tuner.spark.knobs import OBJECT_HASH_FALLBACK_THRESHOLD
from tuner.words.reasons import reason_words

KEY = OBJECT_HASH_FALLBACK_THRESHOLD.property

SETS = aggregate("ObjectHashAggregate", rows=20_000_000, groups=8_000, shuffle_bytes=16_000_000, fallback_tasks=4)
UNCOUNTED = replace(SETS, fallback_tasks=None)


def collecting(*sites: AggregateSite, **kwargs: object) -> Query:
    return replace(query(**kwargs), aggregates=sites)  # type: ignore[arg-type]


def _threshold(job: Facts) -> int | None:
    found = list(advise_object_hash_threshold(job))
    assert len(found) <= 1
    return int(found[0].actions[0].value) if found else None


def test_few_keys_of_many_rows_are_hashed_with_room_to_grow() -> None:
    wanted = _threshold(facts(collecting(SETS)))
    assert wanted is not None
    assert 2 * 2_000 <= wanted <= 4 * 2_000


def test_it_says_why_in_numbers() -> None:
    (found,) = advise_object_hash_threshold(facts(collecting(SETS)))
    assert found.actions[0].target == KEY
    assert "2000 keys a task sorted 20.0M rows" in reason_words(found.reason)
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(facts(collecting(replace(SETS, fallback_tasks=0))), id="no task fell back"),
        pytest.param(facts(collecting(replace(SETS, operator="HashAggregate"))), id="memory decided, not a threshold"),
        pytest.param(facts(collecting(replace(SETS, grouped=False))), id="no keys"),
        pytest.param(facts(collecting(replace(SETS, input_rows=None))), id="rows not measured"),
        pytest.param(facts(collecting(replace(SETS, input_rows=20_000))), id="too few rows to matter"),
        pytest.param(
            facts(collecting(replace(SETS, output_rows=2_000_000))), id="so many keys that hashing takes as long"
        ),
        pytest.param(facts(collecting(replace(SETS, shuffle_bytes=20 * GIB))), id="objects too large for the heap"),
        pytest.param(facts(collecting(replace(SETS, shuffle_bytes=None))), id="objects not measured"),
        pytest.param(
            facts(
                collecting(SETS),
                collecting(replace(SETS, fallback_tasks=4, output_rows=4_000_000, shuffle_bytes=9 * GIB)),
            ),
            id="another query's objects would not fit",
        ),
        pytest.param(
            facts(collecting(SETS), replace(query(), status=QueryStatus.FAILED)), id="a query failed before it told"
        ),
        pytest.param(facts(collecting(UNCOUNTED), conf={KEY: "100000"}, version="3.1.1"), id="enough already"),
    ],
)
def test_what_is_left_alone(job: Facts) -> None:
    assert _threshold(job) is None


def test_before_spark_counted_them_more_keys_than_all_tasks_may_hash_tell() -> None:
    assert _threshold(facts(collecting(UNCOUNTED), version="3.1.1"))
    assert _threshold(facts(collecting(replace(UNCOUNTED, output_rows=500)), version="3.1.1")) is None


def test_more_cores_share_the_heap() -> None:
    large = replace(SETS, shuffle_bytes=15_000_000)
    assert _threshold(facts(collecting(large)))
    crowded = Cluster(cores=64, executors=1, cores_per_executor=64, executor_memory_bytes=2 * GIB)
    assert _threshold(facts(collecting(large, seconds=200), cluster=crowded)) is None


LARGE = replace(SETS, fallback_tasks=4, output_rows=4_000_000, shuffle_bytes=9 * GIB)


@pytest.mark.parametrize("fingerprint", ["sets", "sunday"])
def test_the_threshold_reaches_what_only_earlier_runs_had(fingerprint: str) -> None:
    """A query of Sundays, or this one with the keys of a month's end."""
    job = facts(collecting(SETS, fingerprint="sets"))
    assert _threshold(replace(job, earlier=(PastRun((collecting(SETS, fingerprint=fingerprint),)),)))
    assert _threshold(replace(job, earlier=(PastRun((collecting(LARGE, fingerprint=fingerprint),)),))) is None


def test_a_query_of_which_the_log_lacks_work_may_keep_objects() -> None:
    unseen, seen = query(fingerprint="other"), replace(query(fingerprint="other"), work=QueryWork(()))
    assert _threshold(facts(collecting(SETS), seen))
    assert _threshold(facts(collecting(SETS), unseen)) is None
    told = facts(collecting(SETS), unseen, collecting(replace(SETS, fallback_tasks=0), fingerprint="other"))
    assert _threshold(told)
