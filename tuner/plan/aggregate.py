"""What an aggregate's text says: by what it groups, what it computes, and which half of an aggregation it is."""

from __future__ import annotations

import re

from tuner.plan.expression import bracketed
from tuner.plan.node import PlanNode

AGGREGATES = frozenset({"HashAggregate", "ObjectHashAggregate", "SortAggregate"})
_KEYS = re.compile(r"\bkeys?=(?=\[)")  # SortAggregateExec prints key=, the others keys=
_PHASE = re.compile(r"\b(?:partial|merge|finalmerge)_")


def aggregate_parts(node: PlanNode) -> tuple[str, str] | None:
    """The lists of grouping keys and of functions of an aggregate, as printed; None where it prints none."""
    start = _KEYS.search(node.text) if "=[" in node.text else None
    keys = bracketed(node.text, start.end()) if start else None
    functions = bracketed(node.text, keys[1]) if keys else None
    return (keys[0], functions[0]) if keys and functions else None


def without_phase(functions: str) -> str:
    """The functions without telling whether they begin, merge or finish: `partial_sum(x)` is `sum(x)`."""
    return _PHASE.sub("", functions)


def is_partial(functions: str, *, shuffled: bool) -> bool:
    """Whether an aggregate only makes buffers for another one to merge; `shuffled` says that a shuffle takes its rows.

    One without functions (SELECT DISTINCT, the inner halves of count(DISTINCT)) does not say: before a shuffle it is.
    """
    if not functions:
        return shuffled
    return "partial_" in functions or "merge_" in functions
