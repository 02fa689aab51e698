"""How much larger a side of a join may be in the next runs, by its growth so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query

# A trend goes on for so many runs before anybody looks: a hint stays in force until its side has outgrown it.
RUNS_AHEAD = 7
# Fewer runs show no trend.
RUNS_FOR_TREND = 4
# Beyond this a trend is no longer believed, nor waited for: `oversized_hints` takes back what grows so fast.
MOST_TREND = 4.0

_Place = tuple[str, str, int, tuple[str, ...]]


def head_room_factor(rows: Sequence[int]) -> float:
    """By how much the last of these sizes may be exceeded: by the trend of the runs, and by the largest of them, which the end of
    a month brings again. Infinite where the last one is nothing, which tells of no size.

    The trend is the median growth from run to run (Theil and Sen's slope of the logarithms, of neighbours), never less than
    none: what shrinks may grow again.
    """
    if rows and not rows[-1]:
        return math.inf
    known = [count for count in rows if count > 0]
    if not known:
        return 1.0
    seen = max(known) / known[-1]
    steps = [after / before for before, after in pairwise(known)]
    trend = median(steps) ** RUNS_AHEAD if len(known) >= RUNS_FOR_TREND else 1.0
    return max(1.0, seen, min(trend, MOST_TREND))


@dataclass(frozen=True)
class Growth:
    """How the sides of joins grew over a run and those before it."""

    facts: Facts

    def factor(self, query: Query, join: JoinSite, side: JoinSide) -> float:
        """The factor by which a side may grow while its hint, or a property, is in force.

        It is 1 where the agent steers and knows the side's estimate (it holds the hint back itself, see
        `head_room.head_room`). Properties are compared in each run with what does not tell a hash relation: files, of which
        a filter may keep more, and partitions as compressed.
        """
        if self.facts.reach is Reach.AGENT and side.leaf_bytes:
            return 1.0
        return head_room_factor(self._rows.get(_place(query, join, side), ()))

    @cached_property
    def _rows(self) -> dict[_Place, list[int]]:
        """The most rows of each side of each join in a run, oldest first: read when they are first asked for, as few decisions
        do."""
        rows: dict[_Place, list[int]] = {}
        for queries in self.facts.of_all_runs:
            for place, count in _most_rows(queries).items():
                rows.setdefault(place, []).append(count)
        return rows


def _most_rows(queries: Iterable[Query]) -> dict[_Place, int]:
    most: dict[_Place, int] = {}
    for query, join in _joins(queries):
        for side in join.sides:
            # What an earlier execution has made was counted there.
            if side.rows is not None and not side.skipped:
                place = _place(query, join, side)
                most[place] = max(side.rows, most.get(place, 0))
    return most


def _joins(queries: Iterable[Query]) -> Iterator[tuple[Query, JoinSite]]:
    return ((query, join) for query in queries for join in query.joins)


def _place(query: Query, join: JoinSite, side: JoinSide) -> _Place:
    return query.fingerprint, join.signature, join.occurrence, side.relations
