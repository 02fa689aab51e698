"""Which sides of a join may be built, by its type: the constraints that no size or hint overrules."""

from __future__ import annotations

from tuner.model.strategy import BuildSide, JoinType
from tuner.spark.join_selection.logical_join import BOTH, RIGHT, LogicalJoin, SideHint
from tuner.spark.join_selection.selection_conf import (
    FULL_OUTER_SHUFFLED_HASH,
    NULL_AWARE_ANTI_JOIN,
    OUTER_SHUFFLED_HASH_BOTH_SIDES,
    SelectionConf,
)

# JoinSelectionHelper.canBuildBroadcastLeft/Right; a right outer join comes turned round.
BROADCAST_SIDES = {
    JoinType.INNER: BOTH,
    JoinType.CROSS: BOTH,
    JoinType.LEFT_OUTER: (RIGHT,),
    JoinType.LEFT_SEMI: (RIGHT,),
    JoinType.LEFT_ANTI: (RIGHT,),
    JoinType.EXISTENCE: (RIGHT,),
    JoinType.LEFT_SINGLE: (RIGHT,),
}


def broadcast_sides(join: LogicalJoin) -> tuple[BuildSide, ...]:
    """The sides that a broadcast hash join of this type may build; none for a full outer join or unhashable keys."""
    return BROADCAST_SIDES.get(join.type, ()) if join.hashable else ()


def shuffled_hash_sides(join: LogicalJoin, conf: SelectionConf) -> tuple[BuildSide, ...]:
    """The sides that a shuffled hash join may build (JoinSelectionHelper.canBuildShuffledHashJoinLeft/Right)."""
    if not join.hashable:
        return ()
    if join.type is JoinType.FULL_OUTER:
        return BOTH if conf.has(FULL_OUTER_SHUFFLED_HASH) else ()
    if join.type is JoinType.LEFT_OUTER and conf.has(OUTER_SHUFFLED_HASH_BOTH_SIDES):
        return BOTH
    return BROADCAST_SIDES.get(join.type, ())


def is_null_aware_hash(join: LogicalJoin, conf: SelectionConf) -> bool:
    """Whether NOT IN is a hash join of its own (ExtractSingleColumnNullAwareAntiJoin)."""
    enabled = conf.null_aware_anti_join and conf.has(NULL_AWARE_ANTI_JOIN)
    return enabled and join.null_aware and not join.equi_keys and join.type is JoinType.LEFT_ANTI


def may_merge(join: LogicalJoin) -> bool:
    """Whether a sort merge join can run the join: a scalar subquery's has none (JoinSelection.createSortMergeJoin)."""
    return join.orderable and join.type is not JoinType.LEFT_SINGLE


def may_replicate(join: LogicalJoin) -> bool:
    """Whether a Cartesian product can run the join."""
    return join.is_inner and not join.has_hint(SideHint.NO_BROADCAST_AND_REPLICATION)
