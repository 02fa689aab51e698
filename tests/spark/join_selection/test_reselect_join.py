"""What AQE picks once stages have finished: one line a case. `test_against_spark` executes such joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import LEFT, RIGHT, LogicalJoin, Rule, Shuffle, Side, SideHint
from tuner.spark.join_selection.reselect_join import reselect_join
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf

MB = 10**6
BHJ, SHJ, SMJ = Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH, Strategy.SORT_MERGE
CONF = SelectionConf(broadcast_bytes=10 * MB)
ROOMY = replace(CONF, local_map_bytes=4 * MB, advisory_partition_bytes=4 * MB)
DYNAMIC = replace(ROOMY, version=(4, 2, 1))  # the last release with DynamicJoinSelection
FULL, FEW = Shuffle(200, 200, 3 * MB, 400 * MB), Shuffle(200, 20, 3 * MB, 40 * MB)


def stage(megabytes: int, shuffle: Shuffle = FULL, hint: SideHint | None = None) -> Side:
    return Side(megabytes * MB, hint, measured=True, shuffle=shuffle)


def join(left: Side, right: Side, type: JoinType = JoinType.INNER) -> LogicalJoin:
    return LogicalJoin(type, left, right)


LARGE, SMALL = stage(900), stage(5)


def test_what_was_measured_meets_the_adaptive_threshold_from_3_2() -> None:
    conf = replace(CONF, adaptive_broadcast_bytes=20 * MB)
    sides = join(LARGE, stage(15))
    assert reselect_join(sides, conf).strategy is BHJ
    assert reselect_join(sides, replace(conf, version=(3, 1, 3))).strategy is SMJ
    assert reselect_join(sides, CONF).strategy is SMJ


def test_estimates_keep_to_the_static_threshold() -> None:
    conf = replace(CONF, adaptive_broadcast_bytes=-1)
    assert reselect_join(join(LARGE, Side(5 * MB)), conf).strategy is BHJ
    assert reselect_join(join(LARGE, SMALL), conf).strategy is SMJ


def test_without_stages_nothing_is_new() -> None:
    unmeasured = join(Side(900 * MB), Side(5 * MB, SideHint.MERGE))
    assert reselect_join(unmeasured, ROOMY) == select_join(unmeasured, ROOMY)


def test_a_broadcast_that_was_started_is_used() -> None:
    started = replace(SMALL, broadcast=True, bytes=90 * MB)
    choice = reselect_join(join(LARGE, started), CONF)
    assert (choice.strategy, choice.build_side, choice.rule) == (BHJ, RIGHT, Rule.BROADCAST_STAGE)
    loop = replace(join(LARGE, started), equi_keys=False)
    assert reselect_join(loop, CONF).strategy is Strategy.BROADCAST_NESTED_LOOP


@pytest.mark.parametrize(
    ("type_", "left", "right", "strategy"),
    [
        (JoinType.INNER, FULL, FEW, SMJ),
        (JoinType.INNER, FEW, FULL, BHJ),
        (JoinType.LEFT_SEMI, FULL, FEW, SMJ),
        (JoinType.LEFT_OUTER, FULL, FEW, BHJ),
        (JoinType.LEFT_OUTER, FEW, FULL, SMJ),
        (JoinType.LEFT_ANTI, FEW, FULL, SMJ),
        (JoinType.LEFT_ANTI, FEW, FEW, BHJ),
    ],
)
def test_many_empty_partitions_keep_a_shuffle_join(
    type_: JoinType, left: Shuffle, right: Shuffle, strategy: Strategy
) -> None:
    assert reselect_join(join(stage(900, left), stage(5, right), type_), CONF).strategy is strategy


def test_before_3_3_a_sides_own_empty_partitions_count_for_every_type() -> None:
    sides = join(stage(900), stage(5, FEW), JoinType.LEFT_OUTER)
    assert reselect_join(sides, replace(CONF, version=(3, 2, 4))).strategy is SMJ
    assert reselect_join(sides, replace(CONF, version=(3, 3, 0))).strategy is BHJ


def test_the_share_of_partitions_with_rows_is_compared_strictly() -> None:
    sides = join(LARGE, stage(5, replace(FEW, non_empty=40)))
    assert reselect_join(sides, CONF).strategy is BHJ
    assert reselect_join(sides, replace(CONF, non_empty_ratio=0.21)).strategy is SMJ
    empty = join(LARGE, stage(5, Shuffle(200, 0, 0, 0)))
    assert reselect_join(empty, CONF).strategy is BHJ


@pytest.mark.parametrize("conf", [DYNAMIC, ROOMY], ids=["as a hint", "as a conversion"])
def test_partitions_that_fit_are_hashed(conf: SelectionConf) -> None:
    choice = reselect_join(join(stage(900), stage(600, replace(FULL, total_bytes=90 * MB))), conf)
    assert (choice.strategy, choice.build_side, choice.rule) == (SHJ, RIGHT, Rule.SMALL_PARTITIONS)
    assert reselect_join(join(LARGE, LARGE), replace(conf, advisory_partition_bytes=5 * MB)).strategy is SMJ
    assert reselect_join(join(LARGE, LARGE), replace(conf, local_map_bytes=2 * MB)).strategy is SMJ


def test_the_hint_builds_the_side_with_less_data_and_the_conversion_the_one_with_fewer_bytes_written() -> None:
    sides = join(stage(600), stage(900, replace(FULL, total_bytes=90 * MB)))
    assert reselect_join(sides, DYNAMIC).build_side is LEFT
    assert reselect_join(sides, ROOMY).build_side is RIGHT


def test_the_conversion_spares_a_merge_hint_and_a_shuffle_of_the_users() -> None:
    assert reselect_join(join(LARGE, stage(900, hint=SideHint.MERGE)), ROOMY).strategy is SMJ
    assert reselect_join(join(LARGE, stage(900, hint=SideHint.NO_BROADCAST_HASH)), ROOMY).strategy is SHJ
    users = stage(900, replace(FULL, users=True))
    assert reselect_join(join(users, users), ROOMY).strategy is SMJ
    assert reselect_join(join(LARGE, LARGE), replace(ROOMY, convert_sort_merge=False)).strategy is SMJ


@pytest.mark.parametrize("version", [(3, 2, 0), (3, 5, 0), (4, 2, 1)])
def test_a_demoted_side_that_fits_is_hashed(version: tuple[int, int, int]) -> None:
    choice = reselect_join(join(LARGE, stage(5, FEW)), replace(DYNAMIC, version=version))
    assert (choice.strategy, choice.build_side, choice.rule) == (SHJ, RIGHT, Rule.SMALL_PARTITIONS)


def test_a_hint_of_the_users_keeps_aqe_from_giving_its_own() -> None:
    idle = stage(5, FEW, SideHint.SHUFFLE_REPLICATE_NL)
    choice = reselect_join(join(LARGE, idle, JoinType.LEFT_SEMI), CONF)
    assert (choice.strategy, choice.build_side) == (BHJ, RIGHT)


@pytest.mark.parametrize(("turned", "built"), [(False, RIGHT), (True, LEFT)])
def test_of_equal_sides_the_right_one_as_written_is_converted(turned: bool, built: BuildSide) -> None:
    sides = replace(join(LARGE, LARGE, JoinType.LEFT_OUTER), turned=turned)
    assert reselect_join(sides, ROOMY).build_side is built
