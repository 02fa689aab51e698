"""The steps of a picture as a tree that can be rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import msgspec

from tuner.model.plan_picture import PlanPicture, PlanStep


@dataclass(slots=True, eq=False)
class Drawn:
    """A step and the steps that feed it, left before right; the positions in `step.inputs` mean nothing here."""

    step: PlanStep
    inputs: list[Drawn] = field(default_factory=list)

    def walk(self) -> Iterator[Drawn]:
        """This step and those below it, in the order of a picture."""
        return (path[-1] for path in self.paths())

    def paths(self) -> Iterator[tuple[Drawn, ...]]:
        """The way from here to each step."""
        waiting: list[tuple[Drawn, ...]] = [(self,)]
        while waiting:
            path = waiting.pop()
            yield path
            waiting.extend((*path, below) for below in reversed(path[-1].inputs))


def tree_of(picture: PlanPicture) -> Drawn | None:
    """None for a picture without steps."""
    drawn = [Drawn(step) for step in picture.steps]
    for position, one in enumerate(drawn):
        # An input stands behind what it feeds, so there is no way round to it.
        one.inputs = [drawn[below] for below in one.step.inputs if position < below < len(drawn)]
    return drawn[0] if drawn else None


def picture_with(picture: PlanPicture, root: Drawn) -> PlanPicture:
    """The picture of the same query with these steps."""
    steps: list[PlanStep] = []
    inputs: list[list[int]] = []
    waiting: list[tuple[Drawn, int | None]] = [(root, None)]
    while waiting:
        one, above = waiting.pop()
        if above is not None:
            inputs[above].append(len(steps))
        waiting.extend((below, len(steps)) for below in reversed(one.inputs))
        steps.append(one.step)
        inputs.append([])
    drawn = (msgspec.structs.replace(step, inputs=tuple(below)) for step, below in zip(steps, inputs, strict=True))
    return replace(picture, steps=tuple(drawn))
