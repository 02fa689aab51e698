"""Shuffles: how many partitions, what went through, and whether the number may be changed."""

from __future__ import annotations

import msgspec
import pytest

from tuner.model.query import ShuffleExchange
from tuner.plan.node import PlanNode, build_tree
from tuner.plan.shuffles import find_shuffles

from .trees import fixture, parse, plan


def only(text: str) -> ShuffleExchange:
    (found,) = find_shuffles(plan(text), {})
    return found


@pytest.mark.parametrize(
    ("partitioning", "partitions"),
    [
        ("hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=3]", 200),
        ("hashpartitioning(k#1L, v#2, 8)", 8),
        ("hashpartitioning((d_week_seq#5L - 53), 8), ENSURE_REQUIREMENTS", 8),
        ("hashpartitioning(pmod(k#12, 7), lower(s#13), 16), ENSURE_REQUIREMENTS", 16),
        ("hashpartitioning(substr(s#1, 1, 2), 5), true, [id=#10]", 5),
        ("rangepartitioning(k#1 ASC NULLS FIRST, 40), ENSURE_REQUIREMENTS", 40),
        ("RoundRobinPartitioning(12), REPARTITION_BY_NUM", 12),
    ],
)
def test_partitions_are_the_last_argument(partitioning: str, partitions: int) -> None:
    assert only(f"Exchange | {partitioning}\n  Scan parquet | [k#1]").partitions == partitions


def test_what_went_through_and_how_many_tasks_wrote_it() -> None:
    root = plan(
        "Exchange | hashpartitioning(k#1, 8) | data size=800; shuffle bytes written=300; shuffle records written=40\n"
        "  Scan parquet | [k#1] | number of output rows=40"
    )
    accumulator = root.metric_ids["shuffle bytes written"]
    (found,) = find_shuffles(root, {accumulator: 17})
    assert found == ShuffleExchange(8, data_bytes=800, written_bytes=300, rows=40, map_tasks=17, adjustable=True)


def test_glutens_is_measured_as_sparks_own() -> None:
    found = only(
        "ColumnarExchange | hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [k#1], [plan_id=3], [shuffle_writer_type=hash] "
        "| data size=800; shuffle bytes written=300; shuffle records written=40\n"
        "  FileScanTransformer parquet | [k#1] | number of output rows=40"
    )
    assert found == ShuffleExchange(200, data_bytes=800, written_bytes=300, rows=40, map_tasks=None, adjustable=True)


@pytest.mark.parametrize(
    "text",
    [
        "PhotonShuffleExchangeSink | hashpartitioning(k#1, 200)",
        "CometExchange | hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=3]",
        "CometColumnarExchange | rangepartitioning(k#1 ASC NULLS FIRST, 200), ENSURE_REQUIREMENTS, [plan_id=3]",
        "GpuColumnarExchange | gpuhashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=3]",
    ],
)
def test_of_what_goes_through_another_engines_nothing_is_known(text: str) -> None:
    found = only(
        f"{text} | data size=800; shuffle bytes written=300; shuffle records written=40\n  Scan parquet | [k#1]"
    )
    assert found == ShuffleExchange(200, None, None, None, None, adjustable=True, lost=True)


def test_another_engines_broadcasts_and_single_partitions_are_left_out_and_a_number_of_the_users_is_told() -> None:
    root = plan(
        """
        CometExchange | SinglePartition, ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=3]
          CometBroadcastHashJoin | [k#1], [k#3], Inner, BuildRight
            ReusedExchange | [k#1], CometExchange hashpartitioning(k#2, 8), ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=4]
              CometExchange | hashpartitioning(k#2, 8), ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=4]
                Scan parquet | [k#2]
            CometBroadcastExchange | [k#3]
              Scan parquet | [k#3]
        """
    )
    assert find_shuffles(root, {}) == ()
    assert not only(
        "CometExchange | hashpartitioning(k#1, 8), REPARTITION_BY_NUM, CometNativeShuffle, [plan_id=3]\n  Scan parquet | [k#1]"
    ).adjustable


def test_what_was_not_measured_is_unknown() -> None:
    found = only("Exchange | hashpartitioning(k#1, 8) | data size=\n  Scan parquet | [k#1]")
    assert found == ShuffleExchange(8, None, None, None, None, adjustable=True)


@pytest.mark.parametrize(
    ("origin", "adjustable"),
    [
        ("ENSURE_REQUIREMENTS", True),
        ("REPARTITION_BY_COL", True),
        ("REBALANCE_PARTITIONS_BY_COL", True),
        ("REPARTITION_BY_NUM", False),
        # Spark 3.1; 3.0 tells only whether the user asks for the shuffle.
        ("REPARTITION", True),
        ("REPARTITION_WITH_NUM", False),
        ("true", True),
        ("false", False),
    ],
)
def test_a_number_the_user_gave_is_not_ours_to_change(origin: str, adjustable: bool) -> None:
    assert (
        only(f"Exchange | hashpartitioning(k#1, 8), {origin}, [plan_id=3]\n  Scan parquet | [k#1]").adjustable
        is adjustable
    )


@pytest.mark.parametrize("key", ["coalesce(k#1, REPARTITION_BY_NUM)", "f(k#1), false", "f(k#1), REPARTITION_BY_NUM"])
def test_what_a_shuffle_is_by_is_no_origin(key: str) -> None:
    assert only(
        f"Exchange | hashpartitioning({key}, v#2, 8), ENSURE_REQUIREMENTS, [plan_id=3]\n  Scan parquet | [k#1]"
    ).adjustable


def test_single_partitions_and_broadcasts_are_left_out() -> None:
    root = plan(
        """
        Exchange | SinglePartition, ENSURE_REQUIREMENTS, [plan_id=3]
          BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight
            Scan parquet | [k#1]
            BroadcastExchange | HashedRelationBroadcastMode(List(input[0, int, true]),false)
              Scan parquet | [k#3]
        """
    )
    assert find_shuffles(root, {}) == ()


def test_each_ran_once_reused_or_not_in_subqueries_or_not() -> None:
    def partitions(root: PlanNode) -> list[int]:
        return sorted(shuffle.partitions for shuffle in find_shuffles(root, {}))

    assert partitions(plan(fixture("star.txt"))) == [8, 8, 8, 8]
    assert partitions(plan(fixture("reused.txt"))) == [8]
    root = plan(
        """
        Filter | (k#1 > scalar-subquery#5 [])
          Scan parquet | [k#1]
          Subquery | subquery#5
            Exchange | hashpartitioning(v#2, 3)
              Scan parquet | [v#2]
          ReusedSubquery | Subquery subquery#5
            Subquery | subquery#5
              Exchange | hashpartitioning(v#2, 3)
                Scan parquet | [v#2]
        """
    )
    assert partitions(root) == [3]


def test_what_another_query_put_into_a_cache_is_left_out() -> None:
    cached = (
        "InMemoryTableScan | [k#1] | number of output rows=40\n"
        "  Exchange | hashpartitioning(k#1, 8) | data size={}\n"
        "    Scan parquet | [k#1] | number of output rows={}"
    )
    assert find_shuffles(plan(cached.format("", "")), {}) == ()
    assert [shuffle.data_bytes for shuffle in find_shuffles(plan(cached.format("800", "40")), {})] == [800]


WRITTEN_GROUPS = """
Execute InsertIntoHadoopFsRelationCommand | file:/out, false, Parquet | number of written files=10
  WriteFiles
    HashAggregate | keys=[k#1], functions=[sum(v#2)]
      {last}
        HashAggregate | keys=[k#1], functions=[partial_sum(v#2)]
          SortMergeJoin | [j#3], [j#4], Inner
            Exchange | hashpartitioning(j#3, 5), ENSURE_REQUIREMENTS | data size=500
              Scan parquet | [j#3, k#1]
            Exchange | hashpartitioning(j#4, 6), ENSURE_REQUIREMENTS | data size=600
              Scan parquet | [j#4, v#2]
"""
LAST = "Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=800"


def feeding(text: str) -> dict[int, bool | None]:
    """By its partitions, whether tasks that write read a shuffle."""
    return {shuffle.partitions: shuffle.feeds_write for shuffle in find_shuffles(plan(text), {})}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(WRITTEN_GROUPS.format(last=LAST), {8: True, 5: False, 6: False}, id="the last"),
        pytest.param(
            WRITTEN_GROUPS.format(last="Project"),
            {5: True, 6: True},
            id="both sides where no other comes after the join",
        ),
        pytest.param(
            WRITTEN_GROUPS.format(last="BroadcastExchange"), {5: False, 6: False}, id="none below what is broadcast"
        ),
        pytest.param(
            WRITTEN_GROUPS.format(last="Exchange | SinglePartition"),
            {5: False, 6: False},
            id="none below one partition",
        ),
        pytest.param(
            WRITTEN_GROUPS.format(last=LAST).replace(
                "HashAggregate | keys=[k#1], functions=[sum", "BroadcastHashJoin | [sum"
            ),
            {8: True, 5: True, 6: True},
            id="those before the last, too, where a task may read what one task wrote",
        ),
        pytest.param(
            WRITTEN_GROUPS.format(last=LAST).replace("Execute", "Other").replace("written files", "output rows"),
            {8: None, 5: None, 6: None},
            id="no operator writes",
        ),
        pytest.param(
            WRITTEN_GROUPS.format(last="CometExchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS"),
            {8: None, 5: None, 6: None},
            id="another engine's",
        ),
    ],
)
def test_which_of_them_the_tasks_read_that_write(text: str, found: dict[int, bool | None]) -> None:
    assert feeding(text) == found


READ_AGAIN = """
AppendData
  Union
    ReusedExchange | [j#9]
    HashAggregate | keys=[k#1], functions=[sum(v#2)]
      Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=800
        Exchange | hashpartitioning(j#3, 5), ENSURE_REQUIREMENTS | data size=500
          Scan parquet | [j#3, k#1, v#2]
"""


@pytest.mark.parametrize(("is_shown", "found"), [(True, {8: True, 5: True}), (False, {8: None, 5: None})])
def test_what_writers_read_once_more_is_told_by_its_metrics(*, is_shown: bool, found: dict[int, bool | None]) -> None:
    info, accumulators = parse(READ_AGAIN)
    (union,) = info.children
    reused, groups = union.children
    shown = msgspec.structs.replace(reused, children=groups.children[0].children if is_shown else ())
    union = msgspec.structs.replace(union, children=(shown, groups))
    root = build_tree(msgspec.structs.replace(info, children=(union,)), accumulators)
    assert {shuffle.partitions: shuffle.feeds_write for shuffle in find_shuffles(root, {})} == found
