"""The relations that tell a query from others at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.join_site import JoinSite

# Two are shown; a third tells that there are more.
_MOST = 3


def main_relations(joins: Sequence[JoinSite], relations: Sequence[str]) -> tuple[str, ...]:
    """The three largest relations that a query joins, by file bytes, then by rows; the first of `relations` without joins."""
    sides = [side for join in joins for side in (join.left, join.right)]
    sizes: dict[str, tuple[int, int]] = {relation: (0, 0) for side in sides for relation in side.relations}
    for side in sides:
        if len(side.relations) == 1:
            relation = side.relations[0]
            sizes[relation] = max(sizes[relation], (side.file_bytes or 0, side.rows or 0))
    largest_first = sorted(sizes, key=lambda relation: (*(-size for size in sizes[relation]), relation))
    return tuple(largest_first[:_MOST]) or tuple(relations[:1])
