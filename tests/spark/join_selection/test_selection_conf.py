"""Properties of an application as join selection reads them."""

from __future__ import annotations

import pytest

from tuner.spark.join_selection.selection_conf import SelectionConf, read_conf


def test_what_is_unset_or_unreadable_is_sparks_default() -> None:
    assert read_conf({}) == SelectionConf()
    unreadable = {
        "spark.sql.autoBroadcastJoinThreshold": "ten",
        "spark.sql.adaptive.autoBroadcastJoinThreshold": "a few",
        "spark.sql.shuffle.partitions": "auto",
        "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin": "",
    }
    assert read_conf(unreadable) == SelectionConf()


def test_every_property_is_read() -> None:
    conf = read_conf(
        {
            "spark.sql.autoBroadcastJoinThreshold": "20m",
            "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
            "spark.sql.join.preferSortMergeJoin": "FALSE",
            "spark.sql.shuffledHashJoinFactor": "5",
            "spark.sql.shuffle.partitions": "16",
            "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "64MB",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes": "32MB",
            "spark.sql.adaptive.nonEmptyPartitionRatioForBroadcastJoin": "0.5",
            "spark.sql.optimizeNullAwareAntiJoin": "false",
            "spark.sql.optimizeNullAwareAntiJoin.broadcastThreshold": "1g",
            "spark.sql.adaptive.convertSortMergeJoinToShuffledHashJoin.enabled": "false",
        },
        "3.5.9",
    )
    assert conf == SelectionConf(
        version=(3, 5, 9),
        broadcast_bytes=20 << 20,
        adaptive_broadcast_bytes=-1,
        prefer_sort_merge=False,
        shuffled_hash_factor=5,
        shuffle_partitions=16,
        local_map_bytes=64 << 20,
        advisory_partition_bytes=32 << 20,
        non_empty_ratio=0.5,
        null_aware_anti_join=False,
        null_aware_broadcast_bytes=1 << 30,
        convert_sort_merge=False,
    )


@pytest.mark.parametrize(
    ("properties", "partitions"),
    [
        ({}, 1000),
        ({"spark.sql.adaptive.coalescePartitions.enabled": "false"}, 200),
        ({"spark.sql.adaptive.enabled": "false"}, 200),
    ],
)
def test_aqe_starts_with_partitions_of_its_own_where_it_may_coalesce(
    properties: dict[str, str], partitions: int
) -> None:
    initial = {"spark.sql.adaptive.coalescePartitions.initialPartitionNum": "1000"}
    assert read_conf({**initial, **properties}).shuffle_partitions == partitions


def test_aqe_is_off_by_default_before_3_2() -> None:
    initial = {"spark.sql.adaptive.coalescePartitions.initialPartitionNum": "1000"}
    assert read_conf(initial, "3.1.3").shuffle_partitions == 200
    assert not read_conf({}, "3.1.3").adaptive
    assert read_conf({}, "3.2.0").adaptive
    assert not read_conf({"spark.sql.adaptive.enabled": "false"}).adaptive


@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "many"])
def test_a_number_that_is_none_is_read_as_the_default(value: str) -> None:
    assert read_conf({"spark.sql.shuffle.partitions": value}).shuffle_partitions == 200
