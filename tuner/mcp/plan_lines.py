"""A plan as lines of text: what runs last comes first, its inputs indented below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.panel.models.plan import StepItem
from tuner.printable import printable
from tuner.units import format_bytes, format_rows, format_seconds

MOST_LINES = 5000
_MOST_INDENTS = 40
_MOST_OF_A_LABEL = 200


def plan_lines(steps: Sequence[StepItem]) -> list[str]:
    """`steps[0]` ran last, and the inputs of a step come after it. MOST_LINES at most."""
    found: list[str] = []
    waiting = [(0, 0)] if steps else []
    while waiting and len(found) < MOST_LINES:
        position, depth = waiting.pop()
        step = steps[position]
        found.append("  " * min(depth, _MOST_INDENTS) + ", ".join(_parts(step)))
        inputs = [one for one in step.inputs if position < one < len(steps)]
        waiting += [(one, depth + 1) for one in reversed(inputs)]
    return found


def _parts(step: StepItem) -> Iterator[str]:
    label = printable(step.label, _MOST_OF_A_LABEL)
    yield f"{printable(step.operator, _MOST_OF_A_LABEL)} {label}".rstrip()
    if step.build_side:
        yield f"builds {step.build_side}"
    if step.rows is not None:
        yield format_rows(step.rows)
    if step.bytes is not None:
        yield format_bytes(step.bytes)
    if step.seconds is not None:
        yield f"{format_seconds(step.seconds)}{' (the most)' if step.costliest else ''}"
    if step.changed:
        yield f"changed: {printable(step.changed, _MOST_OF_A_LABEL)}"
