"""A side of a join, at a length that a sentence and a table can hold."""

from __future__ import annotations

from tuner.model.join_site import JoinSide
from tuner.plan.relation import short_name

MOST_RELATIONS = 2


def side_label(side: JoinSide) -> str:
    """`orders+items`, `orders+items+5 more`: the short names of its relations."""
    more = len(side.relations) - MOST_RELATIONS
    names = [short_name(relation) for relation in side.relations[:MOST_RELATIONS]]
    return "+".join([*names, *([f"{more} more"] if more > 0 else [])])
