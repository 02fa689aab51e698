"""Plans as a person can write them: an operator a line, indented under the operator it feeds.

    name | rest of its text | metric=value; metric=value | location

The text of an operator is its name and the rest. A metric without a value (`metric=`) is one that Spark declared and no
task updated. The last two parts may be left out.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from tuner.model.application import MetricInfo, PlanInfo
from tuner.plan.node import PlanNode, build_tree

FIXTURES = Path(__file__).with_name("fixtures")


def plan(text: str) -> PlanNode:
    """The tree that a text describes."""
    info, accumulators = parse(text)
    return build_tree(info, accumulators)


def fixture(name: str) -> str:
    """A file of tests/plan/fixtures, without its comments."""
    lines = (FIXTURES / name).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


def parse(text: str) -> tuple[PlanInfo, dict[int, int]]:
    """What the event log holds of such a plan: the tree, and the metrics' values by accumulator."""
    lines = [line for line in text.splitlines() if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip())
    numbers, accumulators = itertools.count(1), dict[int, int]()
    position = 0

    def take(depth: int) -> PlanInfo:
        nonlocal position
        name, rest, metrics, location = _parts(lines[position])
        position += 1
        infos = []
        for metric, value in metrics:
            identifier = next(numbers)
            infos.append(MetricInfo(metric, identifier))
            if value:
                accumulators[identifier] = int(value)
        children = []
        while position < len(lines) and _depth(lines[position], margin) > depth:
            children.append(take(_depth(lines[position], margin)))
        # Spark tells of files, and of nothing else, which columns it reads.
        metadata = {"ReadSchema": ""} if name.startswith("Scan parquet") else {}
        metadata |= {"Location": location} if location else {}
        return PlanInfo(name, f"{name} {rest}".strip(), tuple(children), metadata, tuple(infos))

    return take(0), accumulators


def _depth(line: str, margin: int) -> int:
    return len(line) - len(line.lstrip()) - margin


def _parts(line: str) -> tuple[str, str, list[tuple[str, str]], str]:
    name, rest, metrics, location = (*(part.strip() for part in line.split("|")), "", "", "")[:4]
    pairs = [pair.split("=") for pair in metrics.split(";") if pair.strip()]
    return name, rest, [(key.strip(), value.strip()) for key, value in pairs], location
