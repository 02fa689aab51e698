"""Up to which size of its relations a hint applies.

A threshold stops acting when data grow. A hint does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tuner.advice.built_size import SIZES, BuiltSize, SizeOf, broadcast_size, hinted_sides
from tuner.advice.facts import Facts
from tuner.advice.slower_at_size import was_slower
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import Strategy

# What was measured says little of so many times as much: a back-fill is planned as Spark would.
MOST_GROWTH = 4.0
# A side that is so many times as large is that of another kind of night.
_OTHER_SIZE = 2.0


def head_room(facts: Facts, actions: Iterable[Action]) -> dict[str, int]:
    """The most bytes that the planner may estimate for the relations of a hinted side, by action id.

    This run's estimate grows by what the side may grow (or shrinks by what it must), at most by MOST_GROWTH. Where a query
    has the join several times, what is built must fit by what was built of each, and the largest grows. A hint whose relations
    no run tells the estimate of is left out. A join that only an order beside the hint makes counts as large as its estimate may
    be wrong. What keys to filter by are read from may grow by MOST_GROWTH.

    An earlier run, with such values, in which a side to build was larger, raises that to its estimate, and by what it may grow
    from there: if the hint was followed in it, or would have paid. One of another size in which what is built did not fit, or
    runs with the hint were slower than those without it, keeps it below.
    """
    found: dict[str, int] = {}
    asked = list(actions)
    for action in (action for action in asked if action.kind is ActionKind.HINT_JOIN):
        rooms = _rooms_of(facts, action, asked)
        if most := _with_earlier(facts, action, asked, rooms):
            found[action.id] = most
    return found


@dataclass(frozen=True, slots=True)
class _Room:
    """What the planner took a side for, and by how much that may grow for what is built of it to fit."""

    leaf_bytes: int
    growth: float


def _most_bytes(rooms: Sequence[_Room]) -> int:
    return max(1, int(min(_fitting_bytes(rooms), _largest(rooms) * MOST_GROWTH)))


def _fitting_bytes(rooms: Iterable[_Room]) -> float:
    return min((room.leaf_bytes * room.growth for room in rooms), default=math.inf)


def _with_earlier(facts: Facts, hint: Action, beside: Sequence[Action], rooms: Sequence[_Room]) -> int:
    """The most bytes by this run, whose `rooms` these are, and by earlier ones of other sizes; 0 where none tells."""
    raised = _most_bytes(rooms) if rooms else 0
    if hint.value not in SIZES:
        return raised
    now = _largest(rooms)
    fitting, ceiling = (
        _fitting_bytes(rooms),
        now / _OTHER_SIZE if _suits_smaller(facts, hint, beside, now) else math.inf,
    )
    for then in facts.as_each_earlier_run(hint.query):
        if not any(_may_exceed(query, hint, _OTHER_SIZE * now) for query in then.queries):
            continue
        there = _rooms_of(then, hint, beside)
        if _largest(there) <= _OTHER_SIZE * now:
            continue
        unfit = [room for room in there if room.growth < 1]
        ceiling = min([ceiling, *(room.leaf_bytes * max(room.growth, 1 / _OTHER_SIZE) for room in unfit)])
        if _lost(facts, hint, then.queries):
            ceiling = min(ceiling, _largest(there) / _OTHER_SIZE)
        elif (most := int(min(_most_bytes(there), fitting, ceiling))) > raised and _pays(then, hint):
            raised = most
    return int(min(raised, ceiling))


def _suits_smaller(facts: Facts, hint: Action, beside: Sequence[Action], bytes_: int) -> bool:
    """Whether a hint lost at this run's size, and stands on runs in which its side was of another, smaller one."""
    if not bytes_ or not _lost(facts, hint, facts.queries):
        return False
    earlier = (
        then for then in facts.as_each_earlier_run(hint.query) if any(hint.id in q.followed for q in then.queries)
    )
    return any(0 < _OTHER_SIZE * _largest(_rooms_of(then, hint, beside)) < bytes_ for then in earlier)


def _lost(facts: Facts, hint: Action, queries: Iterable[Query]) -> bool:
    return any(was_slower(facts, hint, query) for query in queries if query.fingerprint == hint.query)


def _largest(rooms: Iterable[_Room]) -> int:
    return max((room.leaf_bytes for room in rooms), default=0)


def _may_exceed(query: Query, hint: Action, most_bytes: float) -> bool:
    """Whether the planner took the relations of a hint for more than so many bytes, if joins that read one of them alone tell."""
    sides = [side for join in query.joins for side in join.sides]
    total = 0
    for relation in hint.relations:
        known = [side.leaf_bytes for side in sides if side.leaf_bytes and side.relations == (relation,)]
        if not known:
            return bool(sides)
        total += max(known)
    return total > most_bytes


def _pays(facts: Facts, hint: Action) -> bool:
    """Whether a hint was followed in a run, or would be advised of it; of a join that only an order makes nothing is known."""
    hinted = [(join, side) for query in facts.queries for _, join, side in hinted_sides(query, hint)]
    if not hinted or all(_is_followed(hint, join, side) for join, side in hinted):
        return True
    # It loads numpy, which parsing a DAG does not wait for.
    from tuner.advice.candidates.best_hints import best_hints

    wanted = (hint.target, hint.value, hint.relations)
    return any((c.join.signature, c.hint, c.hinted.relations) == wanted for c in best_hints(facts))


def _is_followed(hint: Action, join: JoinSite, side: JoinSide) -> bool:
    if hint.value == Hint.BROADCAST:
        return side.broadcast_bytes is not None
    return join.strategy is Strategy.SHUFFLED_HASH and join.built is side


def _rooms_of(facts: Facts, hint: Action, beside: Sequence[Action]) -> list[_Room]:
    """Those of known estimates."""
    if hint.value == Hint.FILTER_BY_KEY:
        rooms = _source_rooms(facts, hint)
    elif size_of := SIZES.get(hint.value):
        rooms = _rooms(facts, hint, size_of) or _future_rooms(facts, hint, beside)
    else:
        return []
    return [room for room in rooms if room.leaf_bytes]


def _source_rooms(facts: Facts, hint: Action) -> list[_Room]:
    """Its keys may be those of one relation of a side: the join that reads that alone tells its size."""
    source = sorted(hint.relations)
    sides = (side for q in facts.queries if q.fingerprint == hint.query for join in q.joins for side in join.sides)
    return [_Room(side.leaf_bytes or 0, MOST_GROWTH) for side in sides if sorted(side.relations) == source]


def _rooms(facts: Facts, hint: Action, size_of: SizeOf) -> list[_Room]:
    return [_room(size_of(facts, *hinted), hinted[2]) for q in facts.queries for hinted in hinted_sides(q, hint)]


def _future_rooms(facts: Facts, hint: Action, beside: Sequence[Action]) -> list[_Room]:
    """Orders call for broadcasts only."""
    if hint.value != Hint.BROADCAST:
        return []
    from tuner.advice.candidates.ordered_sides import future_sides

    return [
        _room(broadcast_size(facts, side, side.shuffle_bytes or 0), side) for side in future_sides(facts, hint, beside)
    ]


def _room(built: BuiltSize, side: JoinSide) -> _Room:
    return _Room(side.leaf_bytes or 0, built.growth)
