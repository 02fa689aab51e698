"""Whether a shuffled hash join could give other rows, where nothing in the run looks at its condition first."""

from __future__ import annotations

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.join_site import JoinSite
from tuner.model.strategy import BuildSide
from tuner.spark.join_selection.lost_rows import may_lose_rows


def risks_rows(facts: Facts, join: JoinSite, build: BuildSide) -> bool:
    """Whether this Spark may lose rows of the join once it is hashed; the agent sees that itself (JoinHints.isWrongSomewhere)."""
    return facts.reach is not Reach.AGENT and may_lose_rows(join.type, build, facts.selection.version)
