"""Exchanges of a drawn plan, put in and taken out as joins ask for them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tuner.model.plan_picture import PlanStep, StepKind
from tuner.model.strategy import SHUFFLED, Strategy
from tuner.plan.drawn_tree import Drawn

# Joins whose inputs are hashed by their keys.
# What a query asked for by itself: no join put it there.
_ASKED_FOR = ("shuffle evenly", "shuffle by ranges of ")


def keys_of(join: PlanStep) -> tuple[str, str]:
    """The columns of both sides that a join's label names, as labels of shuffles have them; empty where it does not."""
    pairs = [pair.split(" = ") for pair in join.label.rpartition(": ")[2].split(", ")]
    if any(len(pair) != 2 for pair in pairs):
        return "", ""
    left, right = (", ".join(pair[side].rpartition(".")[2] for pair in pairs) for side in (0, 1))
    return left, right


def shuffled_by(below: Drawn, columns: str) -> Drawn:
    """A shuffle of the same rows by these columns."""
    label = f"shuffle by {columns}" if columns else "shuffle"
    return Drawn(PlanStep(StepKind.SHUFFLE, "Exchange", label, below.step.rows), [below])


def broadcast_over(below: Drawn) -> Drawn:
    """An input as a broadcast hash join builds from it; one that is broadcast already stays as it was measured."""
    if below.step.kind is StepKind.BROADCAST:
        below.inputs = list(map(without_exchange, below.inputs))
        return below
    if _is_reused(below):
        label = below.step.label.replace("reused shuffle", "broadcast", 1)
        return Drawn(PlanStep(StepKind.BROADCAST, "BroadcastExchange", label, below.step.rows))
    inside = without_exchange(below)
    return Drawn(PlanStep(StepKind.BROADCAST, "BroadcastExchange", "broadcast", below.step.rows), [inside])


def without_exchange(below: Drawn) -> Drawn:
    """An input without the shuffle or broadcast that its join put above it; what is reused was made elsewhere."""
    while len(below.inputs) == 1 and _is_the_joins(below.step):
        below = below.inputs[0]
    return below


def spread(below: Drawn, columns: str) -> Drawn:
    """An input hashed by these columns: as it is where it comes so, else with a shuffle in the place of a broadcast."""
    while below.step.kind is StepKind.BROADCAST and len(below.inputs) == 1:
        below = below.inputs[0]
    if below.step.kind is StepKind.BROADCAST:
        label = below.step.label.replace("reused broadcast", "reused shuffle", 1)
        below.step = msgspec.structs.replace(below.step, kind=StepKind.SHUFFLE, label=label, bytes=None)
        return below
    hashed = below.step.kind is StepKind.SHUFFLE and not below.step.label.startswith(_ASKED_FOR)
    return below if hashed or _comes_hashed(below, columns) else shuffled_by(below, columns)


def _comes_hashed(below: Drawn, columns: str) -> bool:
    """Whether what makes an input leaves it hashed by these columns."""
    step = below.step
    if not columns:
        return False
    if step.kind is StepKind.JOIN and step.strategy in SHUFFLED:
        return columns in keys_of(step)
    return step.kind is StepKind.AGGREGATE and step.label == f"group by {columns}"


def hash_above(path: Sequence[Drawn]) -> None:
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


def reads(root: Drawn) -> set[str]:
    """The relations below, by their short names; those of what is reused as far as its label names them."""
    found: set[str] = set()
    for one in root.walk():
        if one.step.kind is StepKind.SCAN:
            found.add(one.step.label.removeprefix("cached "))
        elif not one.inputs and " of " in one.step.label:
            found.update(one.step.label.partition(" of ")[2].split(", "))
    return found


def _is_the_joins(step: PlanStep) -> bool:
    if step.kind is StepKind.SHUFFLE:
        return not step.label.startswith(_ASKED_FOR)
    return step.kind is StepKind.BROADCAST


def _is_reused(drawn: Drawn) -> bool:
    return drawn.step.kind is StepKind.SHUFFLE and not drawn.inputs
