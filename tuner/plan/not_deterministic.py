"""What of a plan gives other results in other places: numbers drawn or counted by where a row stands, rows taken as they come."""

from __future__ import annotations

import re

from tuner.plan.changed_table import above_changed_table
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode

# Expressions that Catalyst calls Nondeterministic, as plans print them (Rand, MonotonicallyIncreasingID, Uuid, …).
_FUNCTIONS = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|monotonically_increasing_id|spark_partition_id|shuffle|input_file_name"
    r"|input_file_block_start|input_file_block_length)\(",
    re.IGNORECASE,
)
# What one of their names holds, in small letters: sooner looked for.
_IN_NAMES = ("rand", "uniform(", "uuid(", "monotonically_", "spark_partition_id(", "shuffle(", "input_file_")
# The number that MERGE gives each row of the table it changes, to see whether one matches twice (RewriteMergeIntoTable.ROW_ID).
_ROW_ID = re.compile(r"\bmonotonically_increasing_id\(\) AS __row_id#\d+L?")
_MERGES = frozenset({"MergeRows", "MergeRowsExec"})
_SAMPLE = "Sample"
_LIMITS = frozenset({"CollectLimit", "CollectTail", "GlobalLimit"})
_PASSED_ON = frozenset({"Project", "LocalLimit", "Exchange", "InputAdapter", "WholeStageCodegen"})


def not_deterministic(root: PlanNode) -> str:
    """The first function or operator of a plan whose result hangs on the places of rows, "" for none.

    A text of the user's that looks like one is taken for one; what the user's own functions do is not known.
    """
    changed = above_changed_table(root)
    merged = any(node.name in _MERGES for node in root.walk()) if changed else False
    for node in root.walk_query():
        if node.name == _SAMPLE:
            return _SAMPLE.lower()
        if node.name in _LIMITS and _takes_rows_of_joins_as_they_come(node):
            return "LIMIT without ORDER BY"
        text = _ROW_ID.sub("", node.text) if merged and id(node) in changed else node.text
        if function := _function(text):
            return function
    return ""


@by_text
def _function(text: str) -> str:
    small = text.lower()
    if text.isascii() and not any(part in small for part in _IN_NAMES):
        return ""
    match = _FUNCTIONS.search(text)
    return match[1].lower() if match else ""


def _takes_rows_of_joins_as_they_come(limit: PlanNode) -> bool:
    below = next(iter(limit.children), None)
    while below is not None and below.name in _PASSED_ON:
        below = next(iter(below.children), None)
    if below is None or (below.name == "Sort" and ", true, " in below.text):
        return False
    return any(node.name.endswith("Join") or node.name == "CartesianProduct" for node in below.walk_query())
