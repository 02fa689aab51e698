"""Which broadcasts take away the filter that made their side small."""

from __future__ import annotations

from tuner.advice.steering_reach import Reach
from tuner.model.join_site import JoinSide, RuntimeFilter


def loses_filter(reach: Reach, build: JoinSide) -> bool:
    """Whether Spark would not filter a side any more that a hint has it broadcast.

    Partitions are pruned by what the other side was broadcast for (PlanDynamicPruningFilters). No bloom filter is made for a
    join with a broadcast hint (InjectRuntimeFilter.isProbablyShuffleJoin), but for one that the agent hints after that rule.
    """
    match build.filtered_by_other:
        case RuntimeFilter.PARTITIONS:
            return True
        case RuntimeFilter.BLOOM:
            return reach is not Reach.AGENT
    return False
