"""Short names of operators, relations and columns for sentences.

Names of relations and of the columns read from them are all that a plan's text gives: whatever else stands in it may be
a literal.
"""

from __future__ import annotations

from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.expression import attributes, bracketed
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan, short_name
from tuner.printable import identifier, listed, printable

_LONGEST = 60


def operator_text(plan: MeasuredPlan, node: PlanNode) -> str:
    """An operator in a few words: `SortMergeJoin of orders with items`, `HashAggregate by day over orders`."""
    name = printable(node.name, _LONGEST)
    if is_scan(node):
        return f"{name} of {relations_text(plan, node)}"
    if len(node.children) == 2:
        left, right = (relations_text(plan, child) for child in node.children)
        return f"{name} of {left} with {right}"
    by = columns_text(plan, _grouped(node))
    if node.name in AGGREGATES and "partial_" in node.text:
        name += " (partial)"
    return f"{name}{f' by {by}' if by else ''} over {relations_text(plan, node)}"


def relations_text(plan: MeasuredPlan, node: PlanNode) -> str:
    """The relations below an operator, the first few of them."""
    found = dict.fromkeys(identifier(short_name(r), _LONGEST) for r in plan.scans_below.relations(node))
    return listed(found) or "no relation"


def columns_text(plan: MeasuredPlan, text: str) -> str:
    """The columns of relations that an expression mentions, the first few of them."""
    return listed(column_names(plan, text))


def column_names(plan: MeasuredPlan, text: str) -> list[str]:
    """The columns of relations that an expression mentions, by name; none that it computes itself."""
    owners = (plan.lineage.owner.get(plan.lineage.original(id_)) for _, id_ in attributes(text))
    return list(dict.fromkeys(identifier(owner[1], _LONGEST) for owner in owners if owner))


def _grouped(node: PlanNode) -> str:
    """What an aggregate groups by, a sort or a window orders or partitions by."""
    if node.name in AGGREGATES:
        parts = aggregate_parts(node)
        return parts[0] if parts else ""
    if node.name == "Window":
        return _brackets(node.text)[1] if len(_brackets(node.text)) > 1 else ""
    return _brackets(node.text)[0] if node.name == "Sort" and _brackets(node.text) else ""


def _brackets(text: str) -> list[str]:
    found, position = [], 0
    while part := bracketed(text, position):
        found.append(part[0])
        position = part[1]
    return found
