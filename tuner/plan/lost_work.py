"""Queries of which a log does not tell all that their tasks did."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.application import Stage
from tuner.plan.counting_of import counting_of
from tuner.plan.lost_counters import lacks_ends
from tuner.plan.never_ran import never_ran
from tuner.plan.node import PlanNode


def has_lost_work(root: PlanNode, stages: Sequence[Stage]) -> bool:
    """Whether a query that succeeded took more than its stages add up to: the log lacks tasks of them, or whole stages.

    A stage of which it lacks everything looks like one that an earlier execution ran, where its shuffle was read.
    """
    return lacks_ends(stages) or (bool(never_ran(root)) and bool(counting_of(root, finished=True).never))
