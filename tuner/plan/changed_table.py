"""What MERGE, UPDATE and DELETE do with the rows of the table that they change, apart from what they read to know which."""

from __future__ import annotations

from collections.abc import Set

from tuner.plan.looked_at import once_a_plan
from tuner.plan.node import PlanNode

# Spark's writers of such changes (ReplaceDataExec, WriteDeltaExec).
_WRITERS = frozenset({"ReplaceData", "WriteDelta"})
# An UPDATE puts the rows that it changes together with those that it copies.
_UNION = "Union"


@once_a_plan
def above_changed_table(root: PlanNode) -> Set[int]:
    """The ids of the operators that rows of the changed table go through; none of a plan that changes no rows.

    Whatever tells which rows to change is joined to them from the right (RewriteMergeIntoTable, RewriteUpdateTable, …).
    """
    found: set[int] = set()
    waiting = [node for node in root.walk() if node.name in _WRITERS][:1]
    while waiting:
        node = waiting.pop()
        found.add(id(node))
        waiting.extend(node.children if node.name == _UNION else node.children[:1])
    return found
