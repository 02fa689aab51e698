"""Which columns make those that aggregates put out: a physical aggregate's text does not say, the logical one's does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tuner.plan.expression import alias, attributes, bracketed, split_top_level
from tuner.plan.operator_lines import operator_lines

_AGGREGATE = "Aggregate ["


def aggregate_outputs(logical_plan: str | None) -> Mapping[int, int]:
    """For each column that an aggregate names anew (expression id) one that it is made of, or is grouped by.

    `logical_plan` is the optimised plan that Spark logs with `explainMode=cost`; without one nothing is known.
    """
    lines = operator_lines(logical_plan or "")
    return {id_: source for line in lines if _AGGREGATE in line for id_, source in _outputs(line)}


def _outputs(line: str) -> Iterator[tuple[int, int]]:
    keys = bracketed(line, line.index(_AGGREGATE))
    outputs = bracketed(line, keys[1]) if keys else None
    for part in split_top_level(outputs[0]) if outputs else ():
        named = alias(part)
        sources = (attributes(named[0]) or attributes(keys[0])) if named and keys else []
        if named and sources:
            yield named[2], sources[0][1]
