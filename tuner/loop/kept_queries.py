"""What is kept of the queries of one application, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from heapq import heappop, heappush
from typing import Any

from tuner.cost.priced_work import in_brief
from tuner.history.documents import QUERY_TIMES
from tuner.model.query import Query

# Of so many executions all is kept that was measured, some 60 KB each; of the others what times rest on.
MOST_IN_FULL = 1_000
# Of an execution in brief this stays beside what its times rest on: it is small.
_SMALL = frozenset(
    {
        "has_other_joins",
        "shuffles",
        "spilled_bytes",
        "task_count",
        "error",
        "relations",
        "columns",
        "statement",
        "writes",
        "output_bytes",
        "output_files",
    }
)
_EMPTY: dict[str, Any] = {f.name: f.default for f in fields(Query) if f.name not in _SMALL.union(QUERY_TIMES)}


@dataclass(slots=True)
class KeptQueries:
    """The queries of an application, MOST_IN_FULL executions of them in full. Where more come, of those that ran most often every
    second one is left with what times rest on: of each that is in full some stay so, and the newest. Where one execution of
    each takes all places, the shortest of them gives way to another query's that took longer."""

    found: list[Query] = field(default_factory=list)
    in_full: dict[str, list[int]] = field(default_factory=dict)
    count: int = 0
    # What an execution in full took, and its place: also of those that were left since.
    by_time: list[tuple[int, int]] = field(default_factory=list)

    def add(self, query: Query) -> None:
        if self.count >= MOST_IN_FULL:
            self._make_room(query)
        if self.count >= MOST_IN_FULL:
            self.found.append(_in_brief(query))
            return
        place = len(self.found)
        self.in_full.setdefault(query.fingerprint, []).append(place)
        heappush(self.by_time, (_took(query), place))
        self.found.append(query)
        self.count += 1

    def _make_room(self, query: Query) -> None:
        if self.count > len(self.in_full):
            most = max(map(len, self.in_full.values()))
            for places in self.in_full.values():
                if len(places) > most // 2:
                    self._leave(places, slice(-2, None, -2))
        elif mine := self.in_full.get(query.fingerprint):
            self._leave(mine, slice(1))
        else:
            self._leave_shorter(_took(query))

    def _leave_shorter(self, took: int) -> None:
        """The shortest execution in full, where it took less than that."""
        while self.by_time and self.by_time[0][0] < took:
            _, place = heappop(self.by_time)
            query = self.found[place]
            if place in self.in_full.get(query.fingerprint, ()):
                self._leave(self.in_full.pop(query.fingerprint), slice(1))
                return

    def _leave(self, places: list[int], some: slice) -> None:
        for place in places[some]:
            self.found[place] = _in_brief(self.found[place])
        self.count -= len(places[some])
        del places[some]

    def in_order(self) -> tuple[Query, ...]:
        return tuple(sorted(self.found, key=lambda query: query.id))


def _took(query: Query) -> int:
    return query.duration_ms or 0


def _in_brief(query: Query) -> Query:
    return replace(query, **_EMPTY | {"work_in_brief": in_brief(query.work) if query.work else None})
