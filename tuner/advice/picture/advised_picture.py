"""The plan of a query as it would be with joins done as advised, before any run has tried it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from tuner.advice.picture.drawn_exchanges import (
    key_columns,
    relations_below,
    reshuffle_above,
    with_broadcast,
    with_shuffle,
    without_exchange,
)
from tuner.advice.picture.reordered_block import reordered_block
from tuner.model.action import ON_JOINS, Action, ActionKind, Hint
from tuner.model.join_graph import JoinGraph
from tuner.model.plan_picture import PlanPicture
from tuner.model.strategy import SHUFFLED, BuildSide, Strategy
from tuner.plan.drawn_tree import Drawn, picture_with, tree_of
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.relation import short_name

_HINTED: Mapping[str, Strategy] = {
    Hint.BROADCAST: Strategy.BROADCAST_HASH,
    Hint.SHUFFLE_HASH: Strategy.SHUFFLED_HASH,
    Hint.MERGE: Strategy.SORT_MERGE,
    # What Spark does with keys that can be sorted, unless conf prefers a hash join (spark.sql.join.preferSortMergeJoin).
    Hint.NO_BROADCAST: Strategy.SORT_MERGE,
}
_WITHOUT_KEYS = frozenset({Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP})


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A picture as it would be; `left` are those of the actions on joins that the picture has no place for."""

    picture: PlanPicture
    left: tuple[Action, ...] = ()


def advised_picture(picture: PlanPicture, actions: Sequence[Action], graphs: Sequence[JoinGraph] = ()) -> Redrawn:
    """The picture with joins in the orders advised, and done as their hints would have them.

    `graphs` are those of the same run of the query: without its graph an order is left. Exchanges come and go as Spark's
    EnsureRequirements has them: a broadcast hash join broadcasts one input and takes the other as it comes, the joins that
    shuffle need both inputs hashed by their keys, and what above relied on that hashing shuffles for itself. A join puts
    out the same rows however it runs; bytes of new exchanges are not known, nor are rows of joins that never ran, nor seconds
    of any step.
    """
    picture = replace(picture, steps=tuple(msgspec.structs.replace(step, seconds=None) for step in picture.steps))
    root = tree_of(picture)
    # A picture that an earlier release stored does not tell what its steps read.
    if root is None or not relations_below(root):
        return Redrawn(picture, tuple(action for action in actions if action.kind in ON_JOINS))
    left = []
    for action in sorted(actions, key=lambda action: action.kind is not ActionKind.ORDER_JOINS):
        if action.kind is ActionKind.ORDER_JOINS and (ordered := _reordered(root, action, graphs)) is not None:
            root = ordered
        elif action.kind in ON_JOINS and not _hinted(root, action):
            left.append(action)
    return Redrawn(picture_with(picture, root), tuple(left))


def _reordered(root: Drawn, action: Action, graphs: Sequence[JoinGraph]) -> Drawn | None:
    graph = next((graph for graph in graphs if graph.signature == action.target), None)
    if graph is None:
        return None
    try:
        return reordered_block(root, graph, parse_order(action.value, graph))
    except OrderTextError:
        return None


def _hinted(root: Drawn, action: Action) -> bool:
    """Whether the picture has the join that a hint is for."""
    if action.value not in _HINTED:
        return False
    joins = [path for path in root.paths() if len(path[-1].inputs) == 2 and path[-1].step.signature == action.target]
    for path in joins:
        _follow(path, Hint(action.value), action.relations)
    return bool(joins)


def _follow(path: Sequence[Drawn], hint: Hint, relations: Sequence[str]) -> None:
    join = path[-1]
    now, wanted = join.step.strategy, _HINTED[hint]
    if now is None or now is Strategy.UNKNOWN or (hint is Hint.NO_BROADCAST and now is not Strategy.BROADCAST_HASH):
        return
    side = _side(join, relations) if wanted in (Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH) else None
    if now in _WITHOUT_KEYS:
        if hint is not Hint.BROADCAST:
            return
        wanted = Strategy.BROADCAST_NESTED_LOOP
    if side is not None and wanted not in SHUFFLED:
        _broadcast(path, side)
    elif now not in SHUFFLED:
        join.inputs = [
            with_shuffle(below, keys) for below, keys in zip(join.inputs, key_columns(join.step), strict=True)
        ]
    build = None if side is None else (BuildSide.LEFT, BuildSide.RIGHT)[side]
    join.step = msgspec.structs.replace(join.step, operator=wanted.value, strategy=wanted, build_side=build)


def _side(join: Drawn, relations: Sequence[str]) -> int:
    """The input that reads the relations; of two that read as much of them the one with fewer rows."""
    wanted = set(map(short_name, relations))

    def unlike(side: int) -> tuple[float, float]:
        read = relations_below(join.inputs[side])
        rows = join.inputs[side].step.rows
        return -len(wanted & read) / (len(wanted | read) or 1), float("inf") if rows is None else rows

    return min((1, 0), key=unlike)


def _broadcast(path: Sequence[Drawn], side: int) -> None:
    join = path[-1]
    other = join.inputs[1 - side]
    join.inputs[side] = with_broadcast(join.inputs[side])
    join.inputs[1 - side] = without_exchange(other)
    if join.inputs[1 - side] is not other:
        reshuffle_above(path)
