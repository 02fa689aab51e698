"""What of a plan gives other results in other places: numbers drawn or counted by where a row stands."""

from __future__ import annotations

import re

from tuner.plan.node import PlanNode

# Expressions that Catalyst calls Nondeterministic, as plans print them (Rand, MonotonicallyIncreasingID, Uuid, …).
_FUNCTIONS = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|monotonically_increasing_id|spark_partition_id|shuffle|input_file_name"
    r"|input_file_block_start|input_file_block_length)\(",
    re.IGNORECASE,
)
_SAMPLE = "Sample"


def not_deterministic(root: PlanNode) -> str:
    """The first function or operator of a plan whose result hangs on the places of rows, "" for none.

    A text of the user's that looks like one is taken for one; what functions of his own do is not known.
    """
    for node in root.walk_query():
        if node.name == _SAMPLE:
            return _SAMPLE.lower()
        if match := _FUNCTIONS.search(node.text):
            return match[1].lower()
    return ""
