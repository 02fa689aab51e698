"""The plan that an execution came to in the end, and whether the log tells it."""

from __future__ import annotations

from msgspec import structs

from tuner.model.application import Execution
from tuner.plan.node import PlanNode, build_tree
from tuner.plan.relation import is_scan
from tuner.plan.sides import TASKS_OF_SCAN

_ADAPTIVE, _SCAN = "AdaptiveSparkPlan", "Scan"
# What AQE prints of a plan that it may change yet (AdaptiveSparkPlanExec); the last that it tells of has "true".
_MAY_CHANGE = "isFinalPlan=false"


def last_plan(execution: Execution, first: PlanNode) -> PlanNode:
    """The plan that ran; where the log lacks that, the one before it, of which nothing is counted: what ran are other operators.
    `first` is the plan before AQE."""
    found = build_tree(execution.final_plan, execution.accumulators) if execution.final_plan else first
    return found if is_told(execution) else _uncounted(found)


def is_told(execution: Execution) -> bool:
    """Whether the log tells the last plan of an execution that succeeded; of others any may be the last. Spark drops its event
    where a listener falls behind, and posts none of a query that a command of the second API plans anew (CTAS, before 3.4)."""
    if execution.end_ms is None or execution.error:
        return True
    info = execution.final_plan or execution.initial_plan
    # Below a command; what is below a cache ran before, or never.
    while info and not info.name.startswith(_ADAPTIVE) and _SCAN not in info.name and len(info.children) == 1:
        info = info.children[0]
    return info is None or not info.name.startswith(_ADAPTIVE) or _MAY_CHANGE not in info.text


def _uncounted(root: PlanNode) -> PlanNode:
    """The plan with nothing but what the driver counted of its scans."""
    made: dict[int, PlanNode] = {}
    for node in reversed(list(root.walk_all())):  # what is below an operator comes after it
        kept = node.metrics if is_scan(node) else {}
        made[id(node)] = structs.replace(
            node,
            metrics={name: value for name, value in kept.items() if name not in TASKS_OF_SCAN},
            children=tuple(made[id(child)] for child in node.children),
            subqueries=tuple(made[id(subquery)] for subquery in node.subqueries),
            timed=False,
        )
    return made[id(root)]
