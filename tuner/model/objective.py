"""What changes are to make less of."""

from __future__ import annotations

from enum import StrEnum


class Objective(StrEnum):
    """time: seconds of queries. cost: these and the core time that executors hold; what is likelier to hold more is not kept.
    balanced: either of the two. None may make one of them worse by more than 5 % for the other's sake.
    """

    TIME = "time"
    COST = "cost"
    BALANCED = "balanced"
