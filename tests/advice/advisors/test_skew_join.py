"""Skewed partitions of joins that AQE would split at a lower threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.advice.joins import GIB, facts, inner, query, side
from tuner.advice.advisors.skew_join import advise_skew_joins
from tuner.advice.facts import Facts, PastRun
from tuner.model.cluster import Cluster
from tuner.model.query import Query, ShuffleExchange, SkewedStage
from tuner.model.strategy import JoinType, Strategy
from tuner.spark.knobs import ADVISORY_PARTITION_SIZE, FORCE_SKEWED_JOIN, SKEW_JOIN_FACTOR, SKEW_JOIN_THRESHOLD
from tuner.words.reasons import reason_words

FACTOR = SKEW_JOIN_FACTOR.property
FORCE = FORCE_SKEWED_JOIN.property
THRESHOLD = SKEW_JOIN_THRESHOLD.property
ADVISORY = ADVISORY_PARTITION_SIZE.property

CLUSTER = Cluster(cores=16, executors=4, cores_per_executor=4, executor_memory_bytes=4 * GIB)
MB = 1_000_000
SALES = side("sales", rows=40_000_000, shuffle_bytes=1_600 * MB, sort_ms=40_000)
ITEMS = side("item", rows=400_000, shuffle_bytes=16 * MB, sort_ms=200)


def skewed(
    *,
    type_: JoinType = JoinType.INNER,
    items_written: int = 4 * MB,
    map_tasks: int = 40,
    partitions: int = 200,
    output_rows: int = 40_000_000,
    **stage: object,
) -> Query:
    """Half of the sales are of one item: its partition has 200 MB of 400, and takes 50 s of the stage's 52."""
    join = inner(SALES, ITEMS, output_rows, type_=type_)
    shuffles = (
        ShuffleExchange(partitions, SALES.shuffle_bytes, 400 * MB, SALES.rows, map_tasks, adjustable=True),
        ShuffleExchange(partitions, ITEMS.shuffle_bytes, items_written, ITEMS.rows, 2, adjustable=True),
    )
    waited = SkewedStage(
        longest_task_ms=50_000,
        mean_task_ms=1_000,
        longest_task_bytes=200 * MB,
        mean_task_bytes=4 * MB,
        tasks=50,
        shuffle_read_bytes=404 * MB,
        seconds=52.0,
        run_ms=99_000,
        join=join.signature,
        writers=map_tasks,
    )
    return replace(
        query(join, seconds=80, shuffles=shuffles),
        skews=(replace(waited, **stage),),  # type: ignore[arg-type]
    )


def _conf(
    *queries: Query, conf: Mapping[str, str] | None = None, cluster: Cluster = CLUSTER, **kw: str
) -> dict[str, str]:
    job: Facts = facts(*queries, conf=conf, cluster=cluster, **kw)
    return {a.target: a.value for r in advise_skew_joins(job) for a in r.actions}


def test_the_threshold_comes_below_the_partition_and_the_pieces_keep_all_cores_busy() -> None:
    conf = _conf(skewed())
    assert 60 * MB < int(conf[THRESHOLD]) <= 160 * MB
    assert 200 * MB / 24 < int(conf[ADVISORY]) <= 200 * MB / 16
    assert FORCE not in conf


def test_it_says_why_in_numbers() -> None:
    (found,) = advise_skew_joins(facts(skewed(), cluster=CLUSTER))
    assert "1 of 50 tasks read 200 MB in 50.0 s, the others 4.0 MB in 1.0 s" in reason_words(found.reason)
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before


def test_where_rows_must_lie_together_afterwards_the_split_is_forced_and_its_shuffle_paid() -> None:
    assert _conf(skewed(reshuffles=True))[FORCE] == "true"
    assert not _conf(skewed(reshuffles=True, output_rows=10**10))
    assert not _conf(skewed(reshuffles=True), version="3.2.1")


@pytest.mark.parametrize(
    ("type_", "advised"),
    [
        (JoinType.LEFT_OUTER, True),
        (JoinType.LEFT_SEMI, True),
        (JoinType.LEFT_ANTI, True),
        (JoinType.CROSS, True),
        (JoinType.FULL_OUTER, False),
        (JoinType.EXISTENCE, False),
    ],
)
def test_joins_of_which_aqe_splits_the_left_side(type_: JoinType, advised: bool) -> None:
    assert bool(_conf(skewed(type_=type_))) is advised


@pytest.mark.parametrize(
    ("case", "conf"),
    [
        pytest.param(skewed(longest_task_bytes=5 * MB), {}, id="uneven times, even bytes"),
        pytest.param(skewed(longest_task_bytes=7 * MB), {}, id="less than five times the others"),
        pytest.param(skewed(obstacle="a side was repartitioned by the user"), {}, id="AQE may not"),
        pytest.param(skewed(join=None), {}, id="an aggregate's"),
        pytest.param(skewed(map_tasks=1), {}, id="one map task wrote it all"),
        pytest.param(skewed(writers=1), {}, id="one of the map tasks wrote nearly all"),
        pytest.param(skewed(partitions=4_000), {}, id="so many partitions that sizes are not known"),
        pytest.param(skewed(), {THRESHOLD: "100m"}, id="over the threshold: AQE has seen it"),
        pytest.param(
            skewed(type_=JoinType.LEFT_OUTER, items_written=300 * MB), {}, id="it may be the side that is not split"
        ),
        pytest.param(skewed(run_ms=16 * 52_000), {}, id="the other cores were busy meanwhile"),
        pytest.param(skewed(longest_task_ms=900, mean_task_ms=20, seconds=1.0, run_ms=1_900), {}, id="too short"),
        pytest.param(skewed(), {"spark.sql.adaptive.enabled": "false"}, id="no AQE"),
        pytest.param(skewed(), {"spark.sql.adaptive.skewJoin.enabled": "false"}, id="switched off"),
        pytest.param(skewed(), {FACTOR: "1000"}, id="a factor of the user's that nothing reaches"),
        pytest.param(query(), {}, id="no skew"),
    ],
)
def test_what_is_left_alone(case: Query, conf: dict[str, str]) -> None:
    assert not _conf(case, conf=conf)


def test_smaller_tasks_everywhere_must_not_cost_more_than_the_split_gains() -> None:
    huge = ShuffleExchange(20_000, 4 << 40, 1 << 40, 10**9, 8000, adjustable=True)
    assert not _conf(skewed(), query(seconds=9000, shuffles=(huge,)))


def test_a_job_that_writes_files_gets_no_more_of_them() -> None:
    """Of 200 MB three pieces of 64 MB at least, as all other tasks have."""
    writing = replace(query(seconds=100), writes=True)
    conf = _conf(skewed(), writing)
    assert ADVISORY not in conf
    assert 60 * MB < int(conf[THRESHOLD]) <= 160 * MB
    earlier = replace(facts(skewed(), cluster=CLUSTER), earlier=(PastRun((writing,)),))
    assert ADVISORY not in {a.target for r in advise_skew_joins(earlier) for a in r.actions}


def test_where_another_engine_joins_in_a_query_that_writes_it_may_be_a_merge() -> None:
    """MERGE looks in each task by itself whether a row matches twice."""
    other = query(seconds=10)
    assert _conf(skewed(), replace(other, writes=True))
    assert _conf(skewed(), replace(other, has_other_joins=True))
    assert not _conf(skewed(), replace(other, writes=True, has_other_joins=True))


def test_rows_that_code_of_the_job_takes_as_they_lie_stay_with_the_task_that_has_them() -> None:
    """The settings are the whole job's, and split what is skewed tomorrow."""
    taken = replace(inner(SALES, ITEMS), taken_as_it_lies=True)
    assert not _conf(skewed(), query(taken, seconds=10))
    assert not _conf(skewed(), query(replace(taken, strategy=Strategy.SHUFFLED_HASH), seconds=10))
    assert _conf(skewed(), query(replace(taken, strategy=Strategy.BROADCAST_HASH), seconds=10))


def test_an_unreadable_setting_breaks_nothing() -> None:
    assert _conf(skewed(), conf={FACTOR: "many", THRESHOLD: "", ADVISORY: "x"})
