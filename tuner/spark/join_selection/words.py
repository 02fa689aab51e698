"""The sentences of join selection: the numbers that decided, in one line."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.strategy import BuildSide, JoinType
from tuner.spark.join_selection.build_sides import broadcast_sides
from tuner.spark.join_selection.logical_join import BOTH, RIGHT, LogicalJoin, SideHint, other_side
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.units import format_bytes


def sentence(*clauses: str) -> str:
    return "; ".join(clauses)


def size(join: LogicalJoin, which: BuildSide) -> str:
    """`left 8.2 MB`, `right measured 14 kB`."""
    side = join.side(which)
    return f"{which} {'measured ' if side.measured else ''}{format_bytes(side.bytes)}"


def hinted(join: LogicalJoin, hint: SideHint, sides: Iterable[BuildSide]) -> str:
    """`hint BROADCAST on left and right; right 1 kB is the smaller`."""
    found = list(sides)
    clause = f"hint {hint} on {' and '.join(found)}"
    if len(found) < 2 or hint not in (SideHint.BROADCAST, SideHint.SHUFFLE_HASH):
        return clause
    return sentence(clause, smaller(join))


def smaller(join: LogicalJoin) -> str:
    built = join.smaller
    return f"{size(join, built)} <= {size(join, other_side(built))}"


def within_threshold(join: LogicalJoin, conf: SelectionConf, sides: Iterable[BuildSide]) -> str:
    """`left 8.2 MB <= threshold 10 MB`, for each side that fits."""
    found = list(sides)
    clauses = [f"{size(join, which)} <= {_threshold(join, conf, which)}" for which in found]
    return sentence(*clauses, smaller(join)) if len(found) > 1 and _by_size(join) else sentence(*clauses)


def much_smaller(join: LogicalJoin, conf: SelectionConf, built: BuildSide) -> str:
    return sentence(
        f"{size(join, built)} * {conf.factor} <= {size(join, other_side(built))}",
        f"{built} < threshold {format_bytes(conf.broadcast_bytes)} * {conf.shuffle_partitions} partitions",
    )


def small_partitions(join: LogicalJoin, built: BuildSide, hint: SideHint) -> str:
    """`every partition of left fits into a hash map: 64 kB in the largest of 8`; the hint where none was measured."""
    shuffle = join.side(built).shuffle
    if shuffle is None:
        return f"hint {hint} on {built}"
    return (
        f"every partition of {built} fits into a hash map: "
        f"{format_bytes(shuffle.largest_bytes)} in the largest of {shuffle.partitions}"
    )


def emptier(join: LogicalJoin) -> str:
    """`left has rows in 1 of 8 partitions`, of the side with more empty ones; nothing where none was measured."""
    shuffles = [(which, shuffle) for which in BOTH if (shuffle := join.side(which).shuffle) and shuffle.partitions]
    if not shuffles:
        return ""
    which, shuffle = min(shuffles, key=lambda found: found[1].non_empty / found[1].partitions)
    return f"{which} has rows in {shuffle.non_empty} of {shuffle.partitions} partitions"


def null_aware(join: LogicalJoin, limit: int) -> str:
    bound = "whatever its size" if limit < 0 else "within its threshold"
    return f"NOT IN of one column hashes its subquery {bound}: {size(join, RIGHT)}"


def no_broadcast(join: LogicalJoin, conf: SelectionConf) -> str:
    """Why neither side is broadcast."""
    if join.equi_keys and not join.hashable:
        return "the keys cannot be hashed"
    return sentence(*(_not_broadcast(join, conf, which) for which in BOTH))


def not_built(join: LogicalJoin, which: BuildSide) -> str:
    """`a LeftOuter join does not build its left side`; the type as written."""
    if join.turned and join.type is JoinType.LEFT_OUTER:
        return f"a RightOuter join, sides turned round, does not build its {which} side"
    return f"a {join.type} join does not build its {which} side"


def _not_broadcast(join: LogicalJoin, conf: SelectionConf, which: BuildSide) -> str:
    side = join.side(which)
    if join.equi_keys and which not in broadcast_sides(join):
        return not_built(join, which)
    if side.bytes <= conf.threshold(measured=side.measured):
        return " as ".join(filter(None, (f"{size(join, which)} is held back by {side.hint}", emptier(join))))
    return f"{size(join, which)} > {_threshold(join, conf, which)}"


def _threshold(join: LogicalJoin, conf: SelectionConf, which: BuildSide) -> str:
    side = join.side(which)
    bound = conf.threshold(measured=side.measured)
    adaptive = side.measured and bound != conf.broadcast_bytes
    return f"{'adaptive ' if adaptive else ''}threshold {format_bytes(bound) if bound >= 0 else bound}"


def _by_size(join: LogicalJoin) -> bool:
    return join.equi_keys or join.is_inner or join.type is JoinType.FULL_OUTER
