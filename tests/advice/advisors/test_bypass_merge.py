"""One file a task for small shuffles, from the files that Spark made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.advise import advise
from tuner.advice.advisors.bypass_merge import advise_bypass_merge
from tuner.advice.advisors.shuffle_partitions import advise_shuffle_partitions
from tuner.advice.candidates.shuffle_files import MOST_FILE_NS, file_ns, files_of
from tuner.advice.facts import PastRun
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.query import Query, QueryStatus, ShuffleExchange
from tuner.model.strategy import Strategy
from tuner.spark.knobs import BYPASS_MERGE_THRESHOLD, SHUFFLE_MANAGER
from tuner.words.reasons import reason_words

KEY = BYPASS_MERGE_THRESHOLD.property
MANAGER = SHUFFLE_MANAGER.property

CLUSTER = Cluster(cores=2, executors=1, cores_per_executor=2, executor_memory_bytes=4 << 30)
# 100 tasks that each spread 1,000 rows over 200 files, in 200 ms.
SMALL = ShuffleExchange(200, 5_000_000, 2_000_000, 100_000, 100, adjustable=True, map_core_ms=20_000)
# A row takes longer to sort than its share of a file.
LARGE = replace(SMALL, rows=300_000_000, data_bytes=9 * 10**9, map_core_ms=200_000)


def _shuffled(*shuffles: ShuffleExchange, seconds: float = 60, status: QueryStatus = QueryStatus.SUCCEEDED) -> Query:
    return query(seconds=seconds, shuffles=shuffles, status=status)


def _advice(*queries: Query, **conf: str) -> list[Change]:
    named = {KEY: conf["threshold"]} if "threshold" in conf else {}
    return list(advise_bypass_merge(facts(*queries, cluster=CLUSTER, conf=named)))


def test_small_shuffles_are_written_to_one_file_a_task_and_it_says_why_in_numbers() -> None:
    (found,) = _advice(_shuffled(SMALL, SMALL))
    assert [(action.target, action.value) for action in found.actions] == [(KEY, "199")]
    assert reason_words(found.reason).startswith(
        "let each task write one sorted file in shuffles of 200 partitions or more: 200 tasks wrote 39"
    )
    predicted = found.prediction
    # 39,730 files of 750 microseconds, less 100 nanoseconds for each of 200,000 rows, on two cores.
    assert predicted.gain == pytest.approx(14.9, abs=0.1)
    assert 0 <= predicted.low < predicted.after < predicted.high < predicted.before


def test_a_file_costs_no_more_than_the_fastest_tasks_took_for_each() -> None:
    quick = replace(SMALL, map_core_ms=4_000)
    assert file_ns(facts(_shuffled(quick, *(SMALL,) * 8), cluster=CLUSTER)) == pytest.approx(2e5, rel=0.02)
    assert file_ns(facts(_shuffled(SMALL), cluster=CLUSTER)) == MOST_FILE_NS
    (found,) = _advice(_shuffled(quick, quick))
    assert found.prediction.gain == pytest.approx(4.0, abs=0.1)


def test_tasks_with_few_rows_make_few_files() -> None:
    assert files_of(replace(SMALL, rows=100)) == pytest.approx(100, rel=0.01)
    assert files_of(SMALL) == pytest.approx(20_000, rel=0.01)
    assert files_of(replace(SMALL, map_tasks=None)) == 0


def test_only_shuffles_of_as_many_partitions_change_how_they_are_written() -> None:
    """Those of the user's own, of fewer partitions, are better off as they are."""
    own = replace(LARGE, partitions=20, adjustable=False)
    (found,) = _advice(_shuffled(SMALL, SMALL), _shuffled(own))
    assert found.actions[0].value == "199"
    assert len(found.queries) == 1


@pytest.mark.parametrize(
    ("case", "conf"),
    [
        pytest.param(_shuffled(LARGE), {}, id="sorting all rows takes longer"),
        pytest.param(_shuffled(SMALL), {"threshold": "199"}, id="written so already"),
        pytest.param(_shuffled(replace(SMALL, partitions=2000)), {}, id="too many partitions to be merged anyway"),
        pytest.param(_shuffled(SMALL, seconds=2000), {}, id="too little of the whole"),
        pytest.param(_shuffled(replace(SMALL, rows=None)), {}, id="not measured"),
        pytest.param(_shuffled(replace(SMALL, map_tasks=0)), {}, id="no tasks"),
        pytest.param(_shuffled(SMALL, status=QueryStatus.FAILED), {}, id="failed"),
        pytest.param(query(), {}, id="no shuffles"),
    ],
)
def test_what_is_left_alone(case: Query, conf: dict[str, str]) -> None:
    assert not _advice(case, **conf)


def test_a_driver_that_runs_tasks_keeps_room_to_build_its_broadcasts() -> None:
    """TPC-DS 69 at SF1 on local[2] with 4 GiB: with the threshold set, the driver ran out of memory over 284 MB."""
    relation = side("customer_demographics", rows=1_920_800, broadcast_bytes=283_801_792)
    broadcasts = query(
        inner(side("customer", rows=100_000), relation, strategy=Strategy.BROADCAST_HASH),
        seconds=60,
        shuffles=(SMALL, SMALL),
    )

    def advised(heap: int, *, local: bool) -> bool:
        cluster = replace(CLUSTER, driver_memory_bytes=heap, executor_memory_bytes=heap, local=local)
        return bool(list(advise_bypass_merge(facts(broadcasts, cluster=cluster))))

    assert not advised(4 << 30, local=True)
    assert advised(8 << 30, local=True)
    assert advised(4 << 30, local=False)
    sunday = PastRun((query(inner(side("store_sales"), relation), seconds=60),))
    heap = replace(CLUSTER, driver_memory_bytes=4 << 30, executor_memory_bytes=4 << 30, local=True)
    job = facts(_shuffled(SMALL, SMALL), cluster=heap)
    assert list(advise_bypass_merge(job)) and not list(advise_bypass_merge(replace(job, earlier=(sunday,))))


def test_only_sparks_own_shuffle_is_known() -> None:
    conf = {MANAGER: "org.apache.spark.shuffle.celeborn.SparkShuffleManager"}
    assert not list(advise_bypass_merge(facts(_shuffled(SMALL, SMALL), cluster=CLUSTER, conf=conf)))


def test_fewer_partitions_are_to_gain_more_and_each_leaves_the_other_little() -> None:
    small = _shuffled(SMALL, SMALL, seconds=40)
    job = facts(small, cluster=CLUSTER)
    assert [r.advisor for r in advise(job)] == ["shuffle_partitions", "bypass_merge"]
    (fewer,) = advise_shuffle_partitions(job)
    # Of 39,730 files, at 750 microseconds each, and as many segments, all but 1,600.
    assert fewer.prediction.gain > 14.3
    (left,) = advise_shuffle_partitions(facts(small, cluster=CLUSTER, conf={KEY: "199"}))
    assert left.prediction.gain < 1
    few = replace(SMALL, partitions=8, map_core_ms=2_000)
    assert not list(advise_bypass_merge(facts(_shuffled(few, few), cluster=CLUSTER)))


def test_shuffles_of_others_make_no_files() -> None:
    conf = {MANAGER: "org.apache.spark.shuffle.celeborn.SparkShuffleManager"}
    (fewer,) = advise_shuffle_partitions(facts(_shuffled(SMALL, SMALL, seconds=40), cluster=CLUSTER, conf=conf))
    assert fewer.prediction.gain < 1
