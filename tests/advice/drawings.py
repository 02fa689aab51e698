"""Plans as people read them: what runs last first, inputs below, indented; `=` stands before rows, `[...]` holds the side
that is built."""

from __future__ import annotations

import re

import msgspec

from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.strategy import BuildSide, Strategy

JOINS = {
    "sort": Strategy.SORT_MERGE,
    "hash": Strategy.SHUFFLED_HASH,
    "broadcast-join": Strategy.BROADCAST_HASH,
    "loop": Strategy.BROADCAST_NESTED_LOOP,
    "unknown": Strategy.UNKNOWN,
}
KINDS = {kind.value: kind for kind in StepKind}
OPERATORS = {StepKind.SHUFFLE: "Exchange", StepKind.BROADCAST: "BroadcastExchange"}
LINE = re.compile(r"( *)(\S+)(?: ([^=\[]*?(?: = [^=\[]*?)*))?(?: \[(left|right)\])?(?: =(\d+))?$")


def drawn(text: str) -> PlanPicture:
    steps: list[PlanStep] = []
    inputs: list[list[int]] = []
    above: dict[int, int] = {}
    for line in filter(str.strip, text.splitlines()):
        found = LINE.fullmatch(line)
        assert found is not None, line
        indent, word, label, side, rows = found.groups()
        depth = len(indent) // 2
        if depth and depth - 1 in above:
            inputs[above[depth - 1]].append(len(steps))
        above[depth] = len(steps)
        steps.append(_step(word, label or "", side, rows))
        inputs.append([])
    placed = (msgspec.structs.replace(step, inputs=tuple(i)) for step, i in zip(steps, inputs, strict=True))
    return PlanPicture("q", "", tuple(placed))


def _step(word: str, label: str, side: str | None, rows: str | None) -> PlanStep:
    count = int(rows) if rows else None
    if word in JOINS:
        build = BuildSide(side) if side else None
        pairs = [pair.split(" = ") for pair in label.split(", ") if " = " in pair]
        keys = tuple((left.rpartition(".")[2], right.rpartition(".")[2]) for left, right in pairs)
        strategy = JOINS[word]
        return PlanStep(
            StepKind.JOIN, strategy, label, count, signature=label, strategy=strategy, build_side=build, keys=keys
        )
    kind = KINDS[word]
    relations = (label,) if kind is StepKind.SCAN else tuple(filter(None, label.partition(" of ")[2].split(", ")))
    return PlanStep(
        kind,
        "ReusedExchange" if label.startswith("reused") else OPERATORS.get(kind, word),
        label,
        count,
        relations=relations,
        columns=tuple(filter(None, label.partition(" by ")[2].split(", "))),
        is_partial=label.startswith("partial"),
        by_query=label == "shuffle evenly",
    )


def text(picture: PlanPicture) -> str:
    words = {strategy: word for word, strategy in JOINS.items()}

    def lines(position: int, depth: int) -> list[str]:
        step = picture.steps[position]
        word = words[step.strategy] if step.strategy else step.kind.value
        side = f" [{step.build_side}]" if step.build_side else ""
        rows = "" if step.rows is None else f" ={step.rows}"
        own = f"{'  ' * depth}{word}{f' {step.label}' if step.label else ''}{side}{rows}"
        return [own, *(line for below in step.inputs for line in lines(below, depth + 1))]

    return "\n".join(lines(0, 0)) + "\n"
