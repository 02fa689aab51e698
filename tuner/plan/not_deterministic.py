"""What of a plan gives other results in other places: numbers drawn or counted by where a row stands, rows taken as they come."""

from __future__ import annotations

import re

from tuner.plan.changed_table import above_changed_table
from tuner.plan.expression import alias, attributes, bracketed, split_top_level
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode
from tuner.plan.pivot_values import pivot_limit
from tuner.plan.relation import is_scan

# Expressions that Catalyst calls Nondeterministic, as plans print them (Rand, MonotonicallyIncreasingID, Uuid, …). A column may
# be called by one: `input_file_name()#7`.
_FUNCTIONS = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|monotonically_increasing_id|spark_partition_id|shuffle"
    r"|input_file_name(?!\(\)#[0-9])|input_file_block_start|input_file_block_length)\(",
    re.IGNORECASE,
)
# What one of their names holds, in small letters: sooner looked for.
_IN_NAMES = ("rand", "uniform(", "uuid(", "monotonically_", "spark_partition_id(", "shuffle(", "input_file_")
# The number that MERGE gives each row of the table it changes, to see whether one matches twice (RewriteMergeIntoTable.ROW_ID).
_ROW_ID = re.compile(r"\bmonotonically_increasing_id\(\) AS __row_id#\d+L?")
# What hangs on the file that a row is read from, and on nothing else as long as the row is with its scan.
_FILE_NAME = re.compile(r"\binput_file_name\(\)", re.IGNORECASE)
_ROW_BY_ROW = frozenset({"Project", "Filter"})
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
    of_pivot = pivot_limit(root)
    for node in root.walk_query():
        if node.name == _SAMPLE:
            return _SAMPLE.lower()
        if node.name in _LIMITS and node is not of_pivot and _takes_rows_of_joins_as_they_come(node):
            return "LIMIT without ORDER BY"
        text = _ROW_ID.sub("", node.text) if merged and id(node) in changed else node.text
        function = _function(text)
        if function and _is_beside_files(node):
            function = _function(_FILE_NAME.sub("", text))
        if function:
            return function
    return ""


@by_text
def _function(text: str) -> str:
    small = text.lower()
    if text.isascii() and not any(part in small for part in _IN_NAMES):
        return ""
    match = _FUNCTIONS.search(text)
    return match[1].lower() if match else ""


def _is_beside_files(node: PlanNode) -> bool:
    """Whether an operator takes rows from files one by one, as they are read."""
    while node.name in _ROW_BY_ROW and len(node.children) == 1:
        node = node.children[0]
    return is_scan(node) and "ReadSchema" in node.metadata


def _takes_rows_of_joins_as_they_come(limit: PlanNode) -> bool:
    below = next(iter(limit.children), None)
    while below is not None and below.name in _PASSED_ON:
        if below.name == "Project" and _makes_all_rows_alike(below):
            return False
        below = next(iter(below.children), None)
    if below is None or (below.name == "Sort" and ", true, " in below.text):
        return False
    return any(node.name.endswith("Join") or node.name == "CartesianProduct" for node in below.walk_query())


def _makes_all_rows_alike(project: PlanNode) -> bool:
    """Whether no column passes: as of `isEmpty`, of `count()` above the limit, of EXISTS."""
    found = bracketed(project.text)
    if found is None:
        return project.text.strip() == project.name
    made = map(alias, split_top_level(found[0]) if found[0].strip() else ())
    return all(named is not None and not attributes(named[0]) for named in made)
