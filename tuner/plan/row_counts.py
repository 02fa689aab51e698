"""What the values of a query's conditions move: rows of its relations, below their joins or beside these, and of its joins."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.join_site import JoinSite
from tuner.model.row_count import BESIDE, RowCount


def row_counts(joins: Iterable[JoinSite], beside: Iterable[tuple[str, int]] = ()) -> tuple[RowCount, ...]:
    """Each relation alone on a side of a join as `relation#n`, of several reads the smallest first, in whatever order they are
    joined; so those `beside` the joins, as `beside:relation#n`; each join by its signature. What was not measured is left out."""
    reads: dict[str, list[int]] = {}
    found: list[RowCount] = []
    for join in joins:
        for side in join.sides:
            if len(side.relations) == 1 and side.rows is not None:
                reads.setdefault(side.relations[0], []).append(side.rows)
        if join.output_rows is not None:
            found.append(RowCount(f"{join.signature}/{join.occurrence}", join.output_rows))
    for relation, rows in beside:
        reads.setdefault(f"{BESIDE}{relation}", []).append(rows)
    for relation, several in reads.items():
        found += [RowCount(f"{relation}#{n}", rows) for n, rows in enumerate(sorted(several))]
    return tuple(sorted(found))
