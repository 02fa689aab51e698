"""What reaches code of the job's own, or is numbered, as tasks have it: a partition that is split gives such code other rows."""

from __future__ import annotations

from collections.abc import Set

from tuner.plan.looked_at import once_a_plan
from tuner.plan.node import PlanNode
from tuner.plan.sides import is_exchange

# Operators that see the rows of a task beside each other; `map` and `filter` of a Dataset do not.
_TAKERS = frozenset(
    {"MapInPandas", "MapInArrow", "PythonMapInArrow", "MapPartitions", "MapPartitionsInRWithArrow"}
    | {"MapPartitionsExternalUDF", "BatchEvalPythonUDTF", "ArrowEvalPythonUDTF", "AttachDistributedSequence"}
    | {"ScriptTransformation", "SparkScriptTransformation", "HiveScriptTransformation"}
)
# It brings the first rows of all tasks into one, without an exchange that a plan shows.
_FIRST_ROWS = "TakeOrderedAndProject"


@once_a_plan
def taken_as_they_lie(root: PlanNode) -> Set[int]:
    """The ids of the operators whose rows such an operator takes without a shuffle between."""
    found: set[int] = set()
    waiting = [below for node in root.walk_query() if node.name in _TAKERS for below in node.children]
    while waiting:
        node = waiting.pop()
        if id(node) in found or is_exchange(node) or node.name == _FIRST_ROWS:
            continue
        found.add(id(node))
        waiting.extend(node.children)
    return found
