"""The name of a side of a join, for people."""

from __future__ import annotations

from tuner.model.join_site import JoinSide
from tuner.plan.relation import short_name


def side_name(side: JoinSide) -> str:
    """The short names of its relations: `orders+items`."""
    return "+".join(map(short_name, side.relations))
