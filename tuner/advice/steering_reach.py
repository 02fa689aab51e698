"""How far a change reaches: all joins of a run alike, those that SQL text can name, or any join."""

from __future__ import annotations

from enum import StrEnum

from tuner.model.join_site import JoinSide, JoinSite

# Spark versions that the agent is compiled for and tested with.
AGENT_SINCE = (3, 3)


class Reach(StrEnum):
    """conf: properties alone. text: hints in SQL text, which name a relation. agent: any join by its signature."""

    CONF = "conf"
    TEXT = "text"
    AGENT = "agent"

    def hints(self, join: JoinSite, side: JoinSide) -> bool:
        """Whether a hint can mean this side of a join: SQL text only names a relation, the agent any that differ."""
        match self:
            case Reach.AGENT:
                return sorted(join.left.relations) != sorted(join.right.relations)
            case Reach.TEXT:
                return len(side.relations) == 1 and join.left.relations != join.right.relations
        return False


def reach_of(version: tuple[int, int], *, agent: bool, text: bool) -> Reach:
    """What a run is steered by: the agent where it is wanted and Spark, as far as known, has a place for it."""
    if agent and (version >= AGENT_SINCE or version == (0, 0)):
        return Reach.AGENT
    return Reach.TEXT if text else Reach.CONF
