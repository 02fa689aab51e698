"""Which hints no longer fit into memory, and how much the others may still grow.

A threshold stops acting when data grow. A hint does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_budget import added_broadcasts
from tuner.advice.candidates.row_widths import RowWidths
from tuner.advice.candidates.task_relation import task_relation_bytes
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import Strategy
from tuner.spark.memory import relation_bytes

# What was measured says little of so many times as much: a back-fill is planned as Spark would.
MOST_GROWTH = 4.0


@dataclass(frozen=True, slots=True)
class _Built:
    """Bytes of a hash relation, measured or predicted, and the most that it may have."""

    size: int
    most: int

    @property
    def too_large(self) -> Reason | None:
        if self.size <= self.most:
            return None
        return Reason(ReasonCode.OVERSIZED, {"bytes": self.size, "most_bytes": self.most})


_SizeOf = Callable[[Facts, Query, JoinSite, JoinSide], _Built]


def oversized_hints(facts: Facts, actions: Iterable[Action]) -> dict[str, Reason]:
    """The hints whose side, as this run measured it, is now too large to build: why, by action id.

    Hints that the agent can hold back by itself in the next run are left to it.
    """
    found = {}
    for action in actions:
        size_of = _SIZES.get(action.value) if action.kind is ActionKind.HINT_JOIN else None
        if size_of and not (facts.reach is Reach.AGENT and any(_rooms(facts, action, size_of))):
            reasons = (
                size_of(facts, *hinted).too_large for query in facts.queries for hinted in _hinted(query, action)
            )
            if reason := next(filter(None, reasons), None):
                found[action.id] = reason
    return found


def head_room(facts: Facts, actions: Iterable[Action]) -> dict[str, int]:
    """The most bytes that the planner may estimate for the relations of a hinted side, by action id.

    This run's estimate grows by what the side may grow (or shrinks by what it must), at most by MOST_GROWTH. Where a query
    has the join several times, the least counts. A hint whose relations have no known estimate is left out. A join that
    only an order beside the hint makes counts as large as its estimate may be wrong. What keys to filter by are read from may
    grow by MOST_GROWTH.
    """
    found: dict[str, int] = {}
    asked = list(actions)
    for action in asked:
        rooms = _rooms_of(facts, action, asked) if action.kind is ActionKind.HINT_JOIN else []
        if known := [room for room in rooms if room]:
            found[action.id] = min(known)
    return found


def _rooms_of(facts: Facts, hint: Action, beside: Sequence[Action]) -> list[int]:
    if hint.value == Hint.FILTER_BY_KEY:
        return _source_rooms(facts, hint)
    size_of = _SIZES.get(hint.value)
    return (_rooms(facts, hint, size_of) or _future_rooms(facts, hint, beside)) if size_of else []


def _source_rooms(facts: Facts, hint: Action) -> list[int]:
    """Its keys may be those of one relation of a side: the join that reads that alone tells its size."""
    source = sorted(hint.relations)
    sides = (side for q in facts.queries if q.fingerprint == hint.query for join in q.joins for side in join.sides)
    return [int((side.leaf_bytes or 0) * MOST_GROWTH) for side in sides if sorted(side.relations) == source]


def _rooms(facts: Facts, hint: Action, size_of: _SizeOf) -> list[int]:
    return [_room(size_of(facts, *hinted), hinted[2]) for q in facts.queries for hinted in _hinted(q, hint)]


def _future_rooms(facts: Facts, hint: Action, beside: Sequence[Action]) -> list[int]:
    """Orders call for broadcasts only."""
    if hint.value != Hint.BROADCAST:
        return []
    from tuner.advice.candidates.ordered_sides import future_sides

    return [
        _room(_to_broadcast(facts, side, side.shuffle_bytes or 0), side) for side in future_sides(facts, hint, beside)
    ]


def _room(built: _Built, side: JoinSide) -> int:
    growth = min(built.most / built.size, MOST_GROWTH) if built.size else MOST_GROWTH
    return max(1, int(side.leaf_bytes * growth)) if side.leaf_bytes else 0


def _hinted(query: Query, action: Action) -> list[tuple[Query, JoinSite, JoinSide]]:
    if query.fingerprint != action.query:
        return []
    joins = [join for join in query.joins if join.signature == action.target]
    return [(query, j, side) for j in joins for side in j.sides if side.relations == action.relations]


def _broadcast(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> _Built:
    built = _to_broadcast(facts, side, facts.once(RowWidths).data_bytes(query, side))
    return replace(built, most=min(built.most, _left_by_others(facts, query, side)))


def _left_by_others(facts: Facts, query: Query, side: JoinSide) -> int:
    """What a query's other broadcasts leave of what they may grow to together: twice what is advised of new ones, as one of them
    may. The largest has to go first, and stays away while there is no room for it."""
    there = added_broadcasts(query)
    own = (there[side], side.relations) if side in there else None
    others = [size for one, size in there.items() if own is None or (size, one.relations) < own]
    return max(0, 2 * facts.cap.query_bytes - sum(others))


def _to_broadcast(facts: Facts, side: JoinSide, data_bytes: int) -> _Built:
    """A broadcast in force may grow to the cap of its query; a new one must fit the cap of one relation."""
    cap = facts.cap
    broadcast = side.broadcast_bytes is not None
    size = side.broadcast_bytes or relation_bytes(side.rows or 0, data_bytes)
    return _Built(size, cap.query_bytes if broadcast else cap.one_bytes)


def _in_a_task(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> _Built:
    """A hashed side in force may grow to half of a task's memory; a new one must fit a third."""
    cap = facts.task_cap_bytes
    hashed = join.strategy is Strategy.SHUFFLED_HASH
    return _Built(task_relation_bytes(query, join, side, facts.selection), int(cap * 1.5) if hashed else cap)


_SIZES: dict[str, _SizeOf] = {
    Hint.BROADCAST: _broadcast,
    Hint.SHUFFLE_HASH: _in_a_task,
}
