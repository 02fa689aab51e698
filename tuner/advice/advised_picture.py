"""The plan of a query as it would be with joins done as advised, before any run has tried it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tuner.advice.drawn_exchanges import SHUFFLED, broadcast_over, keys_of, shuffled_by, spread, without_exchange
from tuner.advice.model import Action, ActionKind, Hint
from tuner.plan.drawn_tree import Drawn, picture_with, tree_of
from tuner.plan.picture import PlanPicture, StepKind
from tuner.plan.relation import short_name
from tuner.plan.strategy import BuildSide, Strategy

_HINTED: Mapping[str, Strategy] = {
    Hint.BROADCAST: Strategy.BROADCAST_HASH,
    Hint.SHUFFLE_HASH: Strategy.SHUFFLED_HASH,
    Hint.MERGE: Strategy.SORT_MERGE,
    # What Spark does with keys that can be sorted, unless conf prefers a hash join (spark.sql.join.preferSortMergeJoin).
    Hint.NO_BROADCAST: Strategy.SORT_MERGE,
}
_WITHOUT_KEYS = frozenset({Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP})


def advised_picture(picture: PlanPicture, actions: Iterable[Action]) -> PlanPicture:
    """The picture with the joins that are hinted as their hints would have them; what else is advised changes none.

    Exchanges come and go as Spark's EnsureRequirements has them: a broadcast hash join broadcasts one input and takes the
    other as it comes, the joins that shuffle need both inputs hashed by their keys, and what above relied on that hashing
    shuffles for itself. A join puts out the same rows however it runs; bytes of new exchanges are not known.
    """
    root = tree_of(picture)
    if root is None:
        return picture
    for action in actions:
        if action.kind is ActionKind.HINT_JOIN and action.value in _HINTED:
            for path in list(root.paths()):
                step = path[-1].step
                if step.kind is StepKind.JOIN and step.signature == action.target and len(path[-1].inputs) == 2:
                    _follow(path, Hint(action.value), action.relations)
    return picture_with(picture, root)


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
        join.inputs = [spread(below, keys) for below, keys in zip(join.inputs, keys_of(join.step), strict=True)]
    build = None if side is None else (BuildSide.LEFT, BuildSide.RIGHT)[side]
    join.step = msgspec.structs.replace(join.step, operator=wanted.value, strategy=wanted, build_side=build)


def _side(join: Drawn, relations: Sequence[str]) -> int:
    """The input that reads the relations; of two that read as much of them the one with fewer rows."""
    wanted = set(map(short_name, relations))

    def unlike(side: int) -> tuple[float, float]:
        read = _read(join.inputs[side])
        rows = join.inputs[side].step.rows
        return -len(wanted & read) / (len(wanted | read) or 1), float("inf") if rows is None else rows

    return min((1, 0), key=unlike)


def _read(root: Drawn) -> set[str]:
    """The relations below, by their short names; those of what is reused as far as its label names them."""
    found: set[str] = set()
    for one in root.walk():
        if one.step.kind is StepKind.SCAN:
            found.add(one.step.label.removeprefix("cached "))
        elif not one.inputs and " of " in one.step.label:
            found.update(one.step.label.partition(" of ")[2].split(", "))
    return found


def _broadcast(path: Sequence[Drawn], side: int) -> None:
    join = path[-1]
    other = join.inputs[1 - side]
    join.inputs[side] = broadcast_over(join.inputs[side])
    join.inputs[1 - side] = without_exchange(other)
    if join.inputs[1 - side] is not other:
        _hash_above(path)


def _hash_above(path: Sequence[Drawn]) -> None:
    """What relied on the hashing of a join's output now has its own shuffle."""
    for above, below in zip(reversed(path[:-1]), reversed(path), strict=False):
        step, place = above.step, above.inputs.index(below)
        if step.kind in (StepKind.SHUFFLE, StepKind.BROADCAST, StepKind.UNION):
            return
        if step.kind is StepKind.JOIN:
            if step.strategy in SHUFFLED:
                above.inputs[place] = shuffled_by(below, keys_of(step)[place])
            if step.strategy is not Strategy.BROADCAST_HASH:
                return
        elif step.kind is StepKind.WINDOW or (
            step.kind is StepKind.AGGREGATE and not step.label.startswith("partial ")
        ):
            above.inputs[place] = shuffled_by(below, step.label.partition(" by ")[2])
            return
