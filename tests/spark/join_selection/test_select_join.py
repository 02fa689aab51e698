"""What the planner picks, by the rules of Spark's JoinSelection: one line a case. `test_against_spark` asks Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import LEFT, RIGHT, LogicalJoin, Rule, Side, SideHint
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.version import NEWEST

MB = 10**6
BHJ, SHJ, SMJ = Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH, Strategy.SORT_MERGE
PRODUCT, LOOP = Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP
BROADCAST, MERGE, HASH, REPLICATE = (
    SideHint.BROADCAST,
    SideHint.MERGE,
    SideHint.SHUFFLE_HASH,
    SideHint.SHUFFLE_REPLICATE_NL,
)
CONF = SelectionConf(broadcast_bytes=10 * MB)
HASHING = replace(CONF, prefer_sort_merge=False)


def join(
    left: int = 50, right: int = 50, *, type: JoinType = JoinType.INNER, hints: str = "", **fields: bool
) -> LogicalJoin:
    """A join of sides of so many MB; `hints` as in `BROADCAST, MERGE`, left then right, `-` for none."""
    found = [None if name in ("", "-") else SideHint(name) for name in [*hints.split(", "), ""]]
    return LogicalJoin(type, Side(left * MB, found[0]), Side(right * MB, found[1]), **fields)


@pytest.mark.parametrize(
    ("left", "right", "picked"),
    [
        (50, 50, (SMJ, None)),
        (50, 10, (BHJ, RIGHT)),
        (10, 50, (BHJ, LEFT)),
        (8, 9, (BHJ, LEFT)),
        (9, 9, (BHJ, RIGHT)),
    ],
)
def test_the_smaller_side_within_the_threshold_is_broadcast(
    left: int, right: int, picked: tuple[Strategy, BuildSide | None]
) -> None:
    choice = select_join(join(left, right), CONF)
    assert (choice.strategy, choice.build_side) == picked


def test_the_threshold_is_met_to_the_byte() -> None:
    sides = Side(50 * MB), Side(10 * MB + 1)
    assert select_join(LogicalJoin(JoinType.INNER, *sides), CONF).strategy is SMJ


def test_a_negative_threshold_broadcasts_nothing_and_zero_what_is_empty() -> None:
    assert select_join(join(0, 0), replace(CONF, broadcast_bytes=-1)).strategy is SMJ
    assert select_join(join(0, 50), replace(CONF, broadcast_bytes=0)).strategy is BHJ


@pytest.mark.parametrize(
    ("type_", "left_built", "right_built"),
    [
        (JoinType.INNER, BHJ, BHJ),
        (JoinType.CROSS, BHJ, BHJ),
        (JoinType.LEFT_OUTER, SMJ, BHJ),
        (JoinType.FULL_OUTER, SMJ, SMJ),
        (JoinType.LEFT_SEMI, SMJ, BHJ),
        (JoinType.LEFT_ANTI, SMJ, BHJ),
        (JoinType.EXISTENCE, SMJ, BHJ),
    ],
)
def test_the_type_decides_which_side_may_be_broadcast(
    type_: JoinType, left_built: Strategy, right_built: Strategy
) -> None:
    assert select_join(join(1, 50, type=type_), CONF).strategy is left_built
    assert select_join(join(50, 1, type=type_), CONF).strategy is right_built


def test_a_side_much_smaller_than_the_other_is_hashed_where_sorting_is_not_preferred() -> None:
    assert select_join(join(20, 60), HASHING).strategy is SHJ
    assert select_join(join(20, 59), HASHING).strategy is SMJ
    assert select_join(join(20, 59), replace(HASHING, shuffled_hash_factor=2)).strategy is SHJ
    assert select_join(join(20, 59), replace(HASHING, shuffled_hash_factor=2, version=(3, 2, 0))).strategy is SMJ
    assert select_join(join(20, 60), CONF).strategy is SMJ


def test_a_hashed_side_has_fewer_bytes_than_the_threshold_for_each_partition() -> None:
    two = replace(HASHING, shuffle_partitions=2)
    assert select_join(join(19, 90), two).strategy is SHJ
    assert select_join(join(20, 90), two).strategy is SMJ


def test_a_threshold_times_partitions_overflows_as_in_java() -> None:
    huge = replace(HASHING, broadcast_bytes=(1 << 62), shuffle_partitions=2)
    assert huge.hashed_bytes == -(1 << 63)


@pytest.mark.parametrize(
    ("type_", "version", "strategies"),
    [
        (JoinType.FULL_OUTER, (3, 0, 3), (SMJ, SMJ)),
        (JoinType.FULL_OUTER, (3, 1, 0), (SHJ, SHJ)),
        (JoinType.LEFT_OUTER, (3, 4, 4), (SMJ, SHJ)),
        (JoinType.LEFT_OUTER, (3, 5, 0), (SHJ, SHJ)),
        (JoinType.LEFT_SEMI, NEWEST, (SMJ, SHJ)),
    ],
)
def test_outer_joins_learned_to_hash_their_sides(
    type_: JoinType, version: tuple[int, int, int], strategies: tuple[Strategy, Strategy]
) -> None:
    conf = replace(CONF, version=version)
    found = [select_join(join(type=type_, hints=hints), conf) for hints in ("SHUFFLE_HASH, -", "-, SHUFFLE_HASH")]
    assert tuple(choice.strategy for choice in found) == strategies


@pytest.mark.parametrize(
    ("hints", "strategy", "side"),
    [
        ("BROADCAST, MERGE", BHJ, LEFT),
        ("MERGE, SHUFFLE_HASH", SMJ, None),
        ("SHUFFLE_HASH, SHUFFLE_REPLICATE_NL", SHJ, LEFT),
        ("-, SHUFFLE_REPLICATE_NL", PRODUCT, None),
        ("BROADCAST, BROADCAST", BHJ, RIGHT),
        ("NO_BROADCAST_HASH, -", SMJ, None),
        ("PREFER_SHUFFLE_HASH, -", SMJ, None),
    ],
)
def test_hints_rank_broadcast_merge_hash_product(hints: str, strategy: Strategy, side: BuildSide | None) -> None:
    choice = select_join(join(50, 40, hints=hints), CONF)
    assert (choice.strategy, choice.build_side) == (strategy, side)


def test_the_internal_preference_for_hashing_counts_until_4_2() -> None:
    for version, strategy in (((3, 1, 3), SMJ), ((3, 2, 0), SHJ), ((4, 2, 1), SHJ), ((4, 3, 0), SMJ)):
        conf = replace(CONF, version=version)
        assert select_join(join(hints="PREFER_SHUFFLE_HASH, -"), conf).strategy is strategy


@pytest.mark.parametrize(
    ("hints", "fields"),
    [
        ("BROADCAST, -", {"type": JoinType.LEFT_OUTER}),
        ("-, BROADCAST", {"type": JoinType.FULL_OUTER}),
        ("SHUFFLE_HASH, -", {"type": JoinType.LEFT_SEMI}),
        ("SHUFFLE_REPLICATE_NL, -", {"type": JoinType.LEFT_OUTER}),
        ("MERGE, -", {"equi_keys": False}),
        ("-, SHUFFLE_HASH", {"equi_keys": False}),
        ("BROADCAST, -", {"hashable": False}),
        ("MERGE, -", {"orderable": False}),
    ],
)
def test_a_hint_that_the_join_cannot_follow_changes_nothing(hints: str, fields: dict[str, object]) -> None:
    hinted, plain = (select_join(join(50, 40, hints=h, **fields), CONF) for h in (hints, ""))  # type: ignore[arg-type]
    assert hinted == plain


@pytest.mark.parametrize(
    ("type_", "left", "right", "picked"),
    [
        (JoinType.INNER, 50, 50, (PRODUCT, None)),
        (JoinType.INNER, 8, 50, (LOOP, LEFT)),
        (JoinType.LEFT_OUTER, 8, 50, (LOOP, LEFT)),
        (JoinType.LEFT_OUTER, 1, 2, (LOOP, RIGHT)),
        (JoinType.LEFT_OUTER, 50, 60, (LOOP, RIGHT)),
        (JoinType.FULL_OUTER, 50, 60, (LOOP, LEFT)),
        (JoinType.EXISTENCE, 50, 60, (LOOP, RIGHT)),
    ],
)
def test_without_equal_keys_a_loop_or_a_product_is_left(
    type_: JoinType, left: int, right: int, picked: tuple[Strategy, BuildSide | None]
) -> None:
    choice = select_join(join(left, right, type=type_, equi_keys=False), CONF)
    assert (choice.strategy, choice.build_side) == picked


def test_not_in_hashes_its_subquery_whatever_the_size() -> None:
    not_in = join(1, 5000, type=JoinType.LEFT_ANTI, equi_keys=False, null_aware=True)
    assert select_join(not_in, CONF).strategy is BHJ
    assert select_join(not_in, replace(CONF, version=(3, 0, 3))).strategy is LOOP
    assert select_join(not_in, replace(CONF, null_aware_anti_join=False)).strategy is LOOP
    limited = replace(CONF, null_aware_broadcast_bytes=20 * MB)
    assert select_join(not_in, limited).strategy is LOOP
    assert select_join(replace(not_in, right=Side(20 * MB)), limited).strategy is BHJ
    assert select_join(not_in, replace(limited, version=(4, 2, 0))).strategy is BHJ


def test_keys_that_cannot_be_sorted_are_hashed_or_looped_over() -> None:
    assert select_join(join(orderable=False), CONF).strategy is PRODUCT
    assert select_join(join(orderable=False, type=JoinType.LEFT_SEMI), CONF).strategy is LOOP
    assert select_join(join(50, 1, orderable=False), CONF).strategy is BHJ


def test_a_side_that_must_not_be_replicated_leaves_the_other_to_build() -> None:
    for hints, built in (("NO_BROADCAST_AND_REPLICATION, -", RIGHT), ("-, NO_BROADCAST_AND_REPLICATION", LEFT)):
        choice = select_join(join(1, 1, hints=hints, equi_keys=False), replace(CONF, broadcast_bytes=-1))
        assert (choice.strategy, choice.build_side, choice.rule) == (LOOP, built, Rule.LAST_RESORT)


def test_a_type_that_is_not_known_has_no_strategy() -> None:
    assert select_join(join(type=JoinType.UNKNOWN), CONF).strategy is Strategy.UNKNOWN


sides = st.builds(Side, st.integers(0, 100 * MB), st.none() | st.sampled_from(SideHint), st.booleans())
joins = st.builds(
    LogicalJoin,
    st.sampled_from([type_ for type_ in JoinType if type_ is not JoinType.UNKNOWN]),
    sides,
    sides,
    *(st.booleans() for _ in range(5)),
)
confs = st.builds(
    SelectionConf,
    st.sampled_from([(3, minor, 0) for minor in range(6)] + [(4, minor, 1) for minor in range(4)]),
    st.sampled_from([-1, 0, 10 * MB, 60 * MB]),
    st.sampled_from([None, -1, 30 * MB]),
    st.booleans(),
    st.integers(1, 10),
    st.integers(1, 200),
)


@given(joins, confs)
def test_every_join_has_a_strategy_that_its_type_allows(found: LogicalJoin, conf: SelectionConf) -> None:
    choice = select_join(found, conf)
    assert (choice.build_side is None) == (choice.strategy in (SMJ, PRODUCT))
    if choice.strategy is PRODUCT:
        assert found.is_inner
    if choice.strategy is BHJ and not found.is_inner:
        assert choice.build_side is RIGHT and found.type is not JoinType.FULL_OUTER


@given(joins, confs)
def test_an_inner_join_turned_round_is_the_same_join(found: LogicalJoin, conf: SelectionConf) -> None:
    """But for sides of the same size, where the one written second is built, and for hints that both sides bar."""
    inner = replace(found, type=JoinType.INNER, null_aware=False)
    both_barred = {inner.left.hint, inner.right.hint} == {SideHint.NO_BROADCAST_AND_REPLICATION}
    if inner.left.bytes == inner.right.bytes or both_barred:
        return
    there, back = select_join(inner, conf), select_join(replace(inner, left=inner.right, right=inner.left), conf)
    assert there.strategy is back.strategy
    assert {there.build_side, back.build_side} in ({None}, {LEFT, RIGHT})


@pytest.mark.parametrize(
    ("left", "right", "conf", "fields", "picked"),
    [
        pytest.param(50, 10, CONF, {}, (BHJ, RIGHT), id="right fits"),
        pytest.param(10, 50, CONF, {}, (LOOP, RIGHT), id="left fits"),
        pytest.param(50, 60, CONF, {}, (LOOP, RIGHT), id="neither fits"),
        pytest.param(50, 60, CONF, {"hints": "MERGE"}, (LOOP, RIGHT), id="a hint to merge"),
        pytest.param(90, 20, HASHING, {}, (SHJ, RIGHT), id="right is hashed"),
        pytest.param(20, 90, HASHING, {}, (LOOP, RIGHT), id="left is not"),
        pytest.param(50, 60, CONF, {"equi_keys": False}, (LOOP, RIGHT), id="no keys"),
    ],
)
def test_a_scalar_subquery_builds_its_right_side_and_is_never_merged(
    left: int, right: int, conf: SelectionConf, fields: dict[str, Any], picked: tuple[Strategy, BuildSide]
) -> None:
    """JoinSelection.canMerge and JoinSelectionHelper of Spark 4: LeftSingle."""
    choice = select_join(join(left, right, type=JoinType.LEFT_SINGLE, **fields), conf)
    assert (choice.strategy, choice.build_side) == picked
