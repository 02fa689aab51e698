"""Which joins a change can reach: all of a run at once, those that SQL text can name, or any single one."""

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
        """Whether a hint can name this side: SQL text names one relation, the agent any side unlike the other, of joins without
        a hint of the job's own; neither reaches joins with a table whose rows are changed."""
        if join.with_changed_table:
            return False
        match self:
            case Reach.AGENT:
                return not join.hinted and sorted(join.left.relations) != sorted(join.right.relations)
            case Reach.TEXT:
                return len(side.relations) == 1 and join.left.relations != join.right.relations
        return False


def reach_of(version: tuple[int, int], *, agent: bool, text: bool) -> Reach:
    """What steers a run: the agent where it is wanted and this Spark (or an unknown one) can load it."""
    if agent and (version >= AGENT_SINCE or version == (0, 0)):
        return Reach.AGENT
    return Reach.TEXT if text else Reach.CONF
