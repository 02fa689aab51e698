"""Joins that earlier runs of a query shuffled and that its latest one did not show as such."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BROADCASTS

_Place = tuple[str, str, int]


def unseen_joins(now: Iterable[Query], earlier: Iterable[Query]) -> Iterator[Query]:
    """The queries of `earlier` runs that are there `now` with one such join each, as it read most rows.

    AQE broadcasts a side that is small tonight, and leaves out joins with a side that is empty: what a property would make of
    them on another night, tonight does not tell.
    """
    fingerprints, shown = set[str](), set[_Place]()
    for query in now:
        fingerprints.add(query.fingerprint)
        shown.update(_place(query, join) for join in query.joins if _is_shuffled(join))
    largest: dict[_Place, tuple[Query, JoinSite]] = {}
    for query in earlier:
        for join in query.joins if query.fingerprint in fingerprints else ():
            place = _place(query, join)
            if (
                _is_shuffled(join)
                and place not in shown
                and (place not in largest or _rows(join) >= _rows(largest[place][1]))
            ):
                largest[place] = query, join
    return (replace(query, joins=(join,)) for query, join in largest.values())


def _is_shuffled(join: JoinSite) -> bool:
    return join.strategy not in BROADCASTS and not join.is_skipped


def _place(query: Query, join: JoinSite) -> _Place:
    return query.fingerprint, join.signature, join.occurrence


def _rows(join: JoinSite) -> int:
    return sum(side.rows or 0 for side in join.sides)
