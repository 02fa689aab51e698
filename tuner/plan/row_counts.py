"""What the values of a query's conditions move: rows of its relations, below their joins or beside these, and of joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tuner.model.join_site import JoinSite
from tuner.model.row_count import BESIDE, SIDE, RowCount
from tuner.plan.digest import digest


def row_counts(
    joins: Sequence[JoinSite], beside: Iterable[tuple[str, int]] = (), *, with_sides: bool = False
) -> tuple[RowCount, ...]:
    """Each relation alone on a side of a join as `relation#n`, of several reads the smallest first, in whatever order they are
    joined; so those `beside` the joins, as `beside:relation#n`; each join by its signature. With sides, each side of a join as
    `side:` and a digest of its relations, if all were measured. What was not measured is left out."""
    reads: dict[str, list[int]] = {}
    found: list[RowCount] = []
    for join in joins:
        for side in join.sides:
            if len(side.relations) == 1 and side.rows is not None:
                reads.setdefault(f"{side.relations[0]}#", []).append(side.rows)
        if join.output_rows is not None:
            found.append(RowCount(f"{join.signature}/{join.occurrence}", join.output_rows))
    for relation, rows in beside:
        reads.setdefault(f"{BESIDE}{relation}#", []).append(rows)
    found += _numbered(reads | _rows_of_sides(joins) if with_sides else reads)
    return tuple(sorted(found))


def _rows_of_sides(joins: Sequence[JoinSite]) -> dict[str, list[int]]:
    """Whatever is below them; of none where one was not measured."""
    found: dict[str, list[int]] = {}
    for side in (side for join in joins for side in join.sides):
        if side.rows is None:
            return {}
        found.setdefault(f"{SIDE}{digest('+'.join(sorted(side.relations)))}/", []).append(side.rows)
    return found


def _numbered(reads: Mapping[str, list[int]]) -> Iterator[RowCount]:
    for part, several in reads.items():
        yield from (RowCount(f"{part}{n}", rows) for n, rows in enumerate(sorted(several)))
