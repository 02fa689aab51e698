"""How much larger a side of a join may be in the next runs, by its growth so far."""

from __future__ import annotations

from collections.abc import Sequence
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
# Beyond this a trend is no longer believed, nor waited for: the agent and `oversized_hints` hold back what grows so fast.
MOST_HEAD_ROOM = 4.0

_Place = tuple[str, str, int, tuple[str, ...]]


def head_room_factor(rows: Sequence[int]) -> float:
    """By how much the last of these sizes may be exceeded: by the trend of the runs, and by the largest of them.

    The trend is the median growth from run to run (Theil and Sen's slope of the logarithms, of neighbours), never less than
    none: what shrinks may grow again.
    """
    known = [count for count in rows if count > 0]
    if not known:
        return 1.0
    seen = max(known) / known[-1]
    steps = [after / before for before, after in pairwise(known)]
    trend = median(steps) ** RUNS_AHEAD if len(known) >= RUNS_FOR_TREND else 1.0
    return min(max(1.0, seen, trend), MOST_HEAD_ROOM)


@dataclass(frozen=True)
class Growth:
    """How the sides of joins grew over a run and those before it."""

    facts: Facts

    def factor(self, query: Query, join: JoinSite, side: JoinSide) -> float:
        """The factor by which a side may grow while its hint is in force.

        It is 1 where the agent steers and knows the side's estimate (it holds the hint back itself, see
        `oversized_hints.head_room`), and for properties, which Spark compares with sizes in each run.
        """
        reach = self.facts.reach
        if reach is Reach.CONF or (reach is Reach.AGENT and side.leaf_bytes):
            return 1.0
        return head_room_factor(self._rows.get(_place(query, join, side), ()))

    @cached_property
    def _rows(self) -> dict[_Place, list[int]]:
        """The rows of each side of each join, oldest first: read when they are first asked for, as few decisions do."""
        rows: dict[_Place, list[int]] = {}
        for queries in self.facts.of_all_runs:
            # Of a query that ran twice in a run the last counts, unless Spark skipped what the first had made.
            found = {_place(q, j, s): s.rows for q in queries for j in q.joins for s in j.sides if not s.skipped}
            for place, count in found.items():
                if count is not None:
                    rows.setdefault(place, []).append(count)
        return rows


def _place(query: Query, join: JoinSite, side: JoinSide) -> _Place:
    return query.fingerprint, join.signature, join.occurrence, side.relations
