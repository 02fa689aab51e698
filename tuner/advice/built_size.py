"""The hash relation that a hint has Spark build of a side: its bytes, and the most that it may have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_budget import added_broadcasts, held_bytes
from tuner.advice.candidates.row_widths import RowWidths
from tuner.advice.candidates.task_relation import task_relation_bytes
from tuner.advice.facts import Facts
from tuner.model.action import Action, Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import Strategy
from tuner.spark.memory import PAGE_BYTES, relation_bytes


@dataclass(frozen=True, slots=True)
class BuiltSize:
    """Bytes of a hash relation, measured or predicted, and the most that it may have. `held` are those that grow with its rows,
    where they are known: the rest is its last page."""

    size: int
    most: int
    held: int | None = None

    @property
    def growth(self) -> float:
        """By how much it may grow: infinite where it had no rows, which tells of no size."""
        size = self.size if self.held is None else self.held
        return max(self.most / self.size, (self.most - PAGE_BYTES) / size) if size else math.inf


SizeOf = Callable[[Facts, Query, JoinSite, JoinSide], BuiltSize]


def hinted_sides(query: Query, action: Action) -> list[tuple[Query, JoinSite, JoinSide]]:
    """The sides of a query's joins that a hint is for, each with its join."""
    if query.fingerprint != action.query:
        return []
    joins = [join for join in query.joins if join.signature == action.target]
    return [(query, j, side) for j in joins for side in j.sides if side.relations == action.relations]


def _broadcast(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> BuiltSize:
    built = broadcast_size(facts, side, facts.once(RowWidths).data_bytes(query, side))
    return replace(built, most=min(built.most, _left_by_others(facts, query, side)))


def _left_by_others(facts: Facts, query: Query, side: JoinSide) -> int:
    """What a query's other broadcasts leave of what they may grow to together: twice what is advised of new ones, as one of them
    may. The largest has to go first, and stays away while there is no room for it."""
    there = added_broadcasts(query)
    own = (there[side], side.relations) if side in there else None
    others = [size for one, size in there.items() if own is None or (size, one.relations) < own]
    return max(0, 2 * facts.cap.query_bytes - sum(others))


def broadcast_size(facts: Facts, side: JoinSide, data_bytes: int) -> BuiltSize:
    """A broadcast in force may grow to the cap of its query; a new one must fit the cap of one relation."""
    cap = facts.cap
    if side.broadcast_bytes is None:
        return BuiltSize(relation_bytes(side.rows or 0, data_bytes), cap.one_bytes)
    return BuiltSize(side.broadcast_bytes, cap.query_bytes, held_bytes(side) if side.rows is not None else None)


def _in_a_task(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> BuiltSize:
    """A hashed side in force may grow to half of a task's memory; a new one must fit a third."""
    cap = facts.task_cap_bytes
    hashed = join.strategy is Strategy.SHUFFLED_HASH
    return BuiltSize(task_relation_bytes(query, join, side, facts.selection), int(cap * 1.5) if hashed else cap)


# How that is told of a side, by the hints that build.
SIZES: dict[str, SizeOf] = {
    Hint.BROADCAST: _broadcast,
    Hint.SHUFFLE_HASH: _in_a_task,
}
