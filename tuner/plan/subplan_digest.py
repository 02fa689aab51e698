"""What tells one subplan from another in one run."""

from __future__ import annotations

import re

from tuner.plan.digest import digest
from tuner.plan.node import PlanNode

_IDS = re.compile(r"#\d+L?|\[plan_id=\d+\]|\[id=\d+\]")


def subplan_digest(root: PlanNode) -> str:
    """16 hex digits, the same for what Spark takes for the same (QueryPlan.sameResult): operators and literals, not ids.

    Stricter than Spark, which does not look at the names of columns nor at the order of conjuncts.
    """
    return digest("\n".join(_IDS.sub("", node.text) for node in root.walk_all()))
