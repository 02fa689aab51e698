"""The query that Spark runs by itself for the values of `pivot(column)` (RelationalGroupedDataset.collectPivotValues)."""

from __future__ import annotations

import re

from tuner.plan.aggregate import aggregate_parts
from tuner.plan.expression import attributes, bracketed
from tuner.plan.node import PlanNode

# One more than it takes (spark.sql.pivotMaxValues, 10,000 by default): where it finds so many, the job fails.
_LIMIT = re.compile(r"GlobalLimit 10001(?:, 0)?")  # from Spark 3.4 on with an offset
_BETWEEN = frozenset({"Exchange", "LocalLimit"})


def pivot_limit(root: PlanNode) -> PlanNode | None:
    """The limit of a plan that is such a query: the values of one column, each once, limited and then sorted by it. It takes all
    of them, or the job fails."""
    order, limit = bracketed(root.text), _below(root)
    if root.name != "Sort" or ", true, " not in root.text or order is None:
        return None
    if limit is None or not _LIMIT.fullmatch(limit.text.strip()):
        return None
    groups = _below(limit)
    while groups is not None and groups.name in _BETWEEN:
        groups = _below(groups)
    by, of = attributes(order[0]), aggregate_parts(groups) if groups else None
    return limit if len(by) == 1 and of is not None and attributes(of[0]) == by and not of[1] else None


def _below(node: PlanNode) -> PlanNode | None:
    return node.children[0] if len(node.children) == 1 else None
