"""Hints of the user's that did not decide, and what stood against them."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.strategy import BuildSide
from tuner.spark.join_selection import words
from tuner.spark.join_selection.build_sides import broadcast_sides, shuffled_hash_sides
from tuner.spark.join_selection.logical_join import (
    BOTH,
    USERS_HINTS,
    Choice,
    IgnoredHint,
    LogicalJoin,
    Obstacle,
    Reason,
    SideHint,
)
from tuner.spark.join_selection.selection_conf import SelectionConf

_DECIDES = {
    SideHint.BROADCAST: Reason.BROADCAST_HINT,
    SideHint.MERGE: Reason.MERGE_HINT,
    SideHint.SHUFFLE_HASH: Reason.SHUFFLE_HASH_HINT,
    SideHint.SHUFFLE_REPLICATE_NL: Reason.REPLICATE_HINT,
}
_OBSTACLE = {
    Obstacle.NO_EQUI_KEYS: "the join condition has no equality of both sides",
    Obstacle.KEYS_NOT_HASHABLE: "the keys cannot be hashed",
    Obstacle.KEYS_NOT_ORDERABLE: "the keys cannot be sorted",
    Obstacle.NOT_INNER: "only an inner join can be a product",
}


def ignored_hints(join: LogicalJoin, conf: SelectionConf, choice: Choice) -> Choice:
    """The choice with the hints that had no part in it."""
    found = []
    for which in BOTH:
        hint = join.side(which).hint
        if hint in USERS_HINTS and not _decided(choice, which, hint):
            obstacle = _obstacle(join, conf, choice, which, hint)
            found.append(IgnoredHint(which, hint, obstacle, _because(join, choice, which, obstacle)))
    return replace(choice, ignored=tuple(found))


def _decided(choice: Choice, which: BuildSide, hint: SideHint) -> bool:
    return choice.reason is _DECIDES[hint] and choice.build_side in (None, which)


def _obstacle(join: LogicalJoin, conf: SelectionConf, choice: Choice, which: BuildSide, hint: SideHint) -> Obstacle:
    if hint is SideHint.SHUFFLE_REPLICATE_NL:
        return Obstacle.OUTRANKED if join.is_inner else Obstacle.NOT_INNER
    if not join.equi_keys:
        return Obstacle.OUTRANKED if hint is SideHint.BROADCAST else Obstacle.NO_EQUI_KEYS
    if hint is SideHint.MERGE:
        return Obstacle.OUTRANKED if join.orderable else Obstacle.KEYS_NOT_ORDERABLE
    if not join.hashable:
        return Obstacle.KEYS_NOT_HASHABLE
    buildable = broadcast_sides(join) if hint is SideHint.BROADCAST else shuffled_hash_sides(join, conf)
    return Obstacle.OUTRANKED if which in buildable else Obstacle.NOT_BUILT_FROM_SIDE


def _because(join: LogicalJoin, choice: Choice, which: BuildSide, obstacle: Obstacle) -> str:
    if obstacle is Obstacle.NOT_BUILT_FROM_SIDE:
        return words.not_built(join, which)
    return _OBSTACLE.get(obstacle) or f"{choice.strategy} came first: {choice.because}"
