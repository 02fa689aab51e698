"""What AQE makes of a join once stages below it have finished: the planner's rules over what was measured.

Source: LogicalQueryStageStrategy, DemoteBroadcastHashJoin, DynamicJoinSelection, ConvertSortMergeJoinToShuffledHashJoin
(without its `lookThroughOperators` and `minWideningFactor`, which nothing sets by default).
"""

from __future__ import annotations

from dataclasses import replace

from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.build_sides import broadcast_sides, is_null_aware_hash, shuffled_hash_sides
from tuner.spark.join_selection.logical_join import (
    BOTH,
    LEFT,
    RIGHT,
    Choice,
    LogicalJoin,
    Rule,
    Shuffle,
    Side,
    SideHint,
)
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import DEMOTION_BY_TYPE, SelectionConf

# The rows of the streamed side decide whether a task has anything to do, so its empty partitions count.
_STREAMED_COUNTS = frozenset({JoinType.LEFT_OUTER, JoinType.LEFT_ANTI})


def reselect_join(join: LogicalJoin, conf: SelectionConf) -> Choice:
    """What AQE plans for a join whose sides are finished stages, as far as they are; with none, `select_join`.

    AQE plans again each time a stage finishes, so the side that finishes first is judged without the other's shuffle,
    and a broadcast started then stays. A side measured to be empty may make the join go away, which is not looked at.
    """
    for which in BOTH:
        if join.side(which).broadcast:
            return _started(join, conf, which)
    choice = select_join(_with_stage_hints(join, conf), conf)
    choice = _as_measured(join, choice)
    if choice.strategy is Strategy.SORT_MERGE and conf.converts_sort_merge:
        return _converted(join, conf) or choice
    return choice


def _started(join: LogicalJoin, conf: SelectionConf, which: BuildSide) -> Choice:
    """A broadcast that was started is used."""
    hashed = join.equi_keys or is_null_aware_hash(join, conf)
    strategy = Strategy.BROADCAST_HASH if hashed else Strategy.BROADCAST_NESTED_LOOP
    return Choice(strategy, which, Rule.BROADCAST_STAGE)


def _with_stage_hints(join: LogicalJoin, conf: SelectionConf) -> LogicalJoin:
    """The join with the hints that AQE gives to sides that the user gave none."""
    left, right = (_with_stage_hint(join, which, conf) for which in BOTH)
    return replace(join, left=left, right=right)


def _with_stage_hint(join: LogicalJoin, which: BuildSide, conf: SelectionConf) -> Side:
    side = join.side(which)
    if side.hint or side.shuffle is None or not join.equi_keys:
        return side
    demoted = _is_demoted(join, which, conf)
    preferred = conf.hints_to_hash and _is_hashable(side.shuffle, conf)
    if demoted and preferred:
        return replace(side, hint=SideHint.SHUFFLE_HASH)
    if demoted:
        return replace(side, hint=SideHint.NO_BROADCAST_HASH)
    return replace(side, hint=SideHint.PREFER_SHUFFLE_HASH) if preferred else side


def _is_demoted(join: LogicalJoin, which: BuildSide, conf: SelectionConf) -> bool:
    """Whether tasks that find an empty partition end so soon that a shuffle join is kept."""
    shuffle, other = join.side(which).shuffle, join.side(which.other).shuffle
    if not conf.has(DEMOTION_BY_TYPE):
        return _is_mostly_empty(shuffle, conf)
    if which not in broadcast_sides(replace(join, hashable=True)):
        return False
    if join.type not in _STREAMED_COUNTS:
        return _is_mostly_empty(shuffle, conf)
    return not _is_mostly_empty(shuffle, conf) and _is_mostly_empty(other, conf)


def _is_mostly_empty(shuffle: Shuffle | None, conf: SelectionConf) -> bool:
    """hasManyEmptyPartitions: some rows, in few partitions."""
    if shuffle is None or not shuffle.partitions or not shuffle.non_empty:
        return False
    return shuffle.non_empty / shuffle.partitions < conf.non_empty_ratio


def _is_hashable(shuffle: Shuffle, conf: SelectionConf) -> bool:
    """preferShuffledHashJoin: every partition fits, and so will those that AQE coalesces."""
    return conf.advisory_partition_bytes <= conf.local_map_bytes and shuffle.largest_bytes <= conf.local_map_bytes


def _as_measured(join: LogicalJoin, choice: Choice) -> Choice:
    """A hint that AQE gave is no hint of the user's."""
    built = choice.build_side
    if choice.rule is not Rule.SHUFFLE_HASH_HINT or built is None or join.side(built).hint:
        return choice
    return replace(choice, rule=Rule.SMALL_PARTITIONS)


def _converted(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    """ConvertSortMergeJoinToShuffledHashJoin: of sides that fit, the one with fewer bytes written."""
    if join.has_hint(SideHint.MERGE):
        return None
    sides = [(which, join.side(which).shuffle) for which in shuffled_hash_sides(join, conf)]
    fitting = {
        which: shuffle.total_bytes
        for which, shuffle in sides
        if shuffle and not shuffle.users and _is_hashable(shuffle, conf)
    }
    if not fitting:
        return None
    tie = LEFT if join.turned else RIGHT
    built = min(fitting, key=lambda which: (fitting[which], which is not tie))
    return Choice(Strategy.SHUFFLED_HASH, built, Rule.SMALL_PARTITIONS)
