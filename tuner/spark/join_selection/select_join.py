"""What the planner makes of a join, by its rules in their order.

Source: SparkStrategies.JoinSelection and JoinSelectionHelper, Spark 3.0 to 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.build_sides import (
    broadcast_sides,
    is_null_aware_hash,
    may_merge,
    may_replicate,
    shuffled_hash_sides,
)
from tuner.spark.join_selection.logical_join import BOTH, RIGHT, Choice, LogicalJoin, Rule, SideHint
from tuner.spark.join_selection.selection_conf import NULL_AWARE_THRESHOLD, SelectionConf

_Pick = Callable[[LogicalJoin, SelectionConf], Choice | None]
_Sides = tuple[BuildSide, ...]

_NOT_BROADCAST = (SideHint.NO_BROADCAST_HASH, SideHint.NO_BROADCAST_AND_REPLICATION)


def select_join(join: LogicalJoin, conf: SelectionConf) -> Choice:
    """The strategy and build side that Spark plans for a join, and the rule that picked them.

    Total: a type that is not known here has the strategy UNKNOWN.
    """
    if join.type is JoinType.UNKNOWN:
        return Choice(Strategy.UNKNOWN, None, Rule.UNKNOWN_TYPE)
    rules = _EQUI_RULES if join.equi_keys else _OTHER_RULES
    if join.left.hint is None and join.right.hint is None:
        return next(choice for rule in rules if rule not in _OF_HINTS and (choice := rule(join, conf)))
    return next(choice for rule in rules if (choice := rule(join, conf)))


def fits(join: LogicalJoin, which: BuildSide, conf: SelectionConf) -> bool:
    """Whether a side is small enough to be broadcast (canBroadcastBySize)."""
    side = join.side(which)
    return 0 <= side.bytes <= conf.threshold(measured=side.measured)


def _broadcast_hint(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = _both_in(broadcast_sides(join), join.hinted(SideHint.BROADCAST))
    return _built(Strategy.BROADCAST_HASH, join, sides, Rule.BROADCAST_HINT)


def _merge_hint(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = join.hinted(SideHint.MERGE)
    if not (sides and may_merge(join)):
        return None
    return Choice(Strategy.SORT_MERGE, None, Rule.MERGE_HINT)


def _shuffle_hash_hint(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = _both_in(shuffled_hash_sides(join, conf), join.hinted(SideHint.SHUFFLE_HASH))
    return _built(Strategy.SHUFFLED_HASH, join, sides, Rule.SHUFFLE_HASH_HINT)


def _replicate_hint(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = join.hinted(SideHint.SHUFFLE_REPLICATE_NL)
    if not (sides and may_replicate(join)):
        return None
    return Choice(Strategy.CARTESIAN, None, Rule.REPLICATE_HINT)


def _broadcast_size(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = tuple(
        which
        for which in broadcast_sides(join)
        if fits(join, which, conf) and join.side(which).hint not in _NOT_BROADCAST
    )
    return _built(Strategy.BROADCAST_HASH, join, sides, Rule.BROADCAST_SIZE)


def _preferred_hash(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    """The internal hint and the sizes are asked for at once: of two sides that either names, the smaller is built."""
    hinted = join.hinted(SideHint.PREFER_SHUFFLE_HASH) if conf.hints_to_hash else ()
    sides = tuple(
        which
        for which in shuffled_hash_sides(join, conf)
        if which in hinted or (not conf.prefer_sort_merge and _is_much_smaller(join, which, conf))
    )
    if not sides:
        return None
    built = _smaller_of(join, sides)
    if built in hinted:
        return Choice(Strategy.SHUFFLED_HASH, built, Rule.SMALL_PARTITIONS)
    return Choice(Strategy.SHUFFLED_HASH, built, Rule.MUCH_SMALLER)


def _is_much_smaller(join: LogicalJoin, which: BuildSide, conf: SelectionConf) -> bool:
    """canBuildLocalHashMapBySize and muchSmaller; the static threshold counts even for what was measured."""
    size, other = join.side(which).bytes, join.side(which.other).bytes
    return size < conf.hashed_bytes and size * conf.factor <= other


def _sort_merge(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    if not may_merge(join):
        return None
    return Choice(Strategy.SORT_MERGE, None, Rule.SORTABLE_KEYS)


def _product(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    if not may_replicate(join):
        return None
    return Choice(Strategy.CARTESIAN, None, Rule.PRODUCT)


def _last_resort(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    if join.type is JoinType.LEFT_SINGLE:
        built = RIGHT
    else:
        built = _kept(join) or (join.smaller if join.equi_keys else _preferred_loop_side(join))
    return Choice(Strategy.BROADCAST_NESTED_LOOP, built, Rule.LAST_RESORT)


def _null_aware(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    """A hash join whatever the size, up to a threshold of its own if one is set."""
    if not is_null_aware_hash(join, conf):
        return None
    limit = conf.null_aware_broadcast_bytes if conf.has(NULL_AWARE_THRESHOLD) else -1
    # Of its own threshold 0 means none at all, where that of other broadcasts lets what is empty pass.
    within = limit < 0 or join.right.bytes <= limit > 0 or fits(join, RIGHT, conf)
    return Choice(Strategy.BROADCAST_HASH, RIGHT, Rule.NULL_AWARE) if within else None


def _loop_hint(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = join.hinted(SideHint.BROADCAST)
    return _looped(join, sides, Rule.BROADCAST_HINT)


def _loop_size(join: LogicalJoin, conf: SelectionConf) -> Choice | None:
    sides = tuple(
        which
        for which in BOTH
        if fits(join, which, conf) and join.side(which).hint is not SideHint.NO_BROADCAST_AND_REPLICATION
    )
    return _looped(join, sides, Rule.BROADCAST_SIZE)


# Say nothing of joins without hints.
_OF_HINTS = frozenset({_broadcast_hint, _merge_hint, _shuffle_hash_hint, _replicate_hint, _loop_hint})
_EQUI_RULES: tuple[_Pick, ...] = (
    _broadcast_hint,
    _merge_hint,
    _shuffle_hash_hint,
    _replicate_hint,
    _broadcast_size,
    _preferred_hash,
    _sort_merge,
    _product,
    _last_resort,
)
_OTHER_RULES: tuple[_Pick, ...] = (_null_aware, _loop_hint, _replicate_hint, _loop_size, _product, _last_resort)


def _built(strategy: Strategy, join: LogicalJoin, sides: _Sides, rule: Rule) -> Choice | None:
    """The strategy with the smaller of the sides that qualify; None without any."""
    return Choice(strategy, _smaller_of(join, sides), rule) if sides else None


def _looped(join: LogicalJoin, sides: _Sides, rule: Rule) -> Choice | None:
    if not sides:
        return None
    built = _preferred_loop_side(join) if len(sides) == 2 else sides[0]
    return Choice(Strategy.BROADCAST_NESTED_LOOP, built, rule)


def _smaller_of(join: LogicalJoin, sides: _Sides) -> BuildSide:
    return join.smaller if len(sides) == 2 else sides[0]


def _preferred_loop_side(join: LogicalJoin) -> BuildSide:
    """A nested loop keeps the rows of its streamed side: of outer, semi and anti joins the left one."""
    return join.smaller if join.is_inner or join.type is JoinType.FULL_OUTER else RIGHT


def _kept(join: LogicalJoin) -> BuildSide | None:
    """The side that is left to build where the other must neither be broadcast nor replicated."""
    kept = join.hinted(SideHint.NO_BROADCAST_AND_REPLICATION)
    return kept[0].other if kept else None


def _both_in(sides: Iterable[BuildSide], others: Iterable[BuildSide]) -> _Sides:
    return tuple(which for which in BOTH if which in sides and which in others)
