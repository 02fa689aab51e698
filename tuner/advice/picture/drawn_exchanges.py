"""Exchanges of a drawn plan, put in and taken out as joins ask for them (Spark's EnsureRequirements)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tuner.model.plan_picture import PlanStep, StepKind
from tuner.model.strategy import SHUFFLED, Strategy
from tuner.plan.drawn_tree import Drawn
from tuner.plan.step_labels import exchange_label, shuffle_label

Columns = tuple[str, ...]


def key_columns(join: PlanStep) -> tuple[Columns, Columns]:
    """The key columns of both inputs of a join; empty where it has no keys."""
    return tuple(left for left, _ in join.keys), tuple(right for _, right in join.keys)


def relations_below(root: Drawn) -> set[str]:
    """The short names of the relations that a step, or a step below it, reads."""
    return {relation for one in root.walk() for relation in one.step.relations}


def with_broadcast(below: Drawn) -> Drawn:
    """An input as a broadcast hash join builds from it; one that is broadcast already stays as it was measured."""
    if below.step.kind is StepKind.BROADCAST:
        below.inputs = list(map(without_exchange, below.inputs))
        return below
    reused = below.step.relations if below.step.kind is StepKind.SHUFFLE and not below.inputs else None
    inputs = [] if reused is not None else [without_exchange(below)]
    label = exchange_label("broadcast", reused or ())
    step = PlanStep(StepKind.BROADCAST, "BroadcastExchange", label, below.step.rows, relations=reused or ())
    return Drawn(step, inputs)


def with_shuffle(below: Drawn, columns: Columns) -> Drawn:
    """An input hashed by these columns: as it is where it comes so, else with a shuffle in the place of a broadcast."""
    while below.step.kind is StepKind.BROADCAST and len(below.inputs) == 1:
        below = below.inputs[0]
    if below.step.kind is StepKind.BROADCAST:
        label = exchange_label("reused shuffle", below.step.relations)
        below.step = msgspec.structs.replace(below.step, kind=StepKind.SHUFFLE, label=label, bytes=None)
        return below
    hashed = below.step.kind is StepKind.SHUFFLE and not below.step.by_query
    return below if hashed or _comes_hashed(below.step, columns) else _shuffled(below, columns)


def without_exchange(below: Drawn) -> Drawn:
    """An input without the shuffle or broadcast that its join put above it; what is reused was made elsewhere."""
    while (
        len(below.inputs) == 1 and below.step.kind in (StepKind.SHUFFLE, StepKind.BROADCAST) and not below.step.by_query
    ):
        below = below.inputs[0]
    return below


def reshuffle_above(path: Sequence[Drawn]) -> None:
    """Gives its own shuffle to what relied on the hashing of the last step's output."""
    for above, below in zip(reversed(path[:-1]), reversed(path), strict=False):
        step, place = above.step, above.inputs.index(below)
        if step.kind in (StepKind.SHUFFLE, StepKind.BROADCAST, StepKind.UNION):
            return
        if step.kind is StepKind.JOIN:
            if step.strategy in SHUFFLED:
                above.inputs[place] = _shuffled(below, key_columns(step)[place])
            if step.strategy is not Strategy.BROADCAST_HASH:
                return
        elif step.kind is StepKind.WINDOW or (step.kind is StepKind.AGGREGATE and not step.is_partial):
            above.inputs[place] = _shuffled(below, step.columns)
            return


def _shuffled(below: Drawn, columns: Columns) -> Drawn:
    """A shuffle of the same rows by these columns."""
    return Drawn(
        PlanStep(StepKind.SHUFFLE, "Exchange", shuffle_label(columns), below.step.rows, columns=columns), [below]
    )


def _comes_hashed(step: PlanStep, columns: Columns) -> bool:
    """Whether what makes an input leaves it hashed by these columns."""
    if not columns:
        return False
    if step.kind is StepKind.JOIN and step.strategy in SHUFFLED:
        return columns in key_columns(step)
    return step.kind is StepKind.AGGREGATE and not step.is_partial and step.columns == columns
