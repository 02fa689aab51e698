"""Python functions that a plan calls, in place of what Spark names their results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tuner.plan.expression import bracketed, split_top_level
from tuner.plan.node import PlanNode

_EVALUATES = frozenset({"BatchEvalPython", "ArrowEvalPython"})
_RESULT = re.compile(r"\bpythonUDF[0-9]{1,9}#([0-9]{1,18})(?![0-9])L?")
_NAME = "pythonUDF"
# What a call may grow to, by calls of which it takes the results: they may double at each step.
_LONGEST = 2_000


def with_calls(texts: Iterator[str], root: PlanNode) -> Iterator[str]:
    """Conditions of a plan, each `pythonUDF0#7` in them as the call that it is the result of: `near(a#1, b#2)#5`.

    Spark takes the calls out of conditions last (ExtractPythonUDFs): whoever looks at a plan before that, reads calls.
    """
    calls: Mapping[str, str] | None = None
    for text in texts:
        if _NAME in text:
            calls = _calls(root) if calls is None else calls
            text = _called(text, calls)
        yield text


def _calls(root: PlanNode) -> Mapping[str, str]:
    """By the ids of results, the calls: `BatchEvalPython [f(a#1)#2], [pythonUDF0#3]`."""
    found: dict[str, str] = {}
    # A call that takes the result of another stands above it.
    for node in reversed([node for node in root.walk_query() if node.name in _EVALUATES]):
        called = bracketed(node.text)
        results = bracketed(node.text, called[1]) if called else None
        if called is None or results is None:
            continue
        calls, names = split_top_level(called[0]), split_top_level(results[0])
        if len(calls) == len(names):
            for call, name in zip(calls, names, strict=True):
                if result := _RESULT.fullmatch(name):
                    found[result[1]] = _called(call, found)
    return found


def _called(text: str, calls: Mapping[str, str]) -> str:
    made = _RESULT.sub(lambda result: calls.get(result[1], result[0]), text)
    return made if len(made) <= max(_LONGEST, 2 * len(text)) else text
