"""Which hints no longer fit: a hint, unlike a threshold, still forces what has grown since it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tuner.advice.facts import Facts
from tuner.advice.hash_builds import task_relation_bytes
from tuner.advice.model import Action, ActionKind, Hint
from tuner.cost.memory import relation_bytes
from tuner.plan.model import JoinSide, JoinSite, Query, Strategy
from tuner.units import format_bytes


def outgrown(facts: Facts, actions: Iterable[Action]) -> dict[str, str]:
    """Of these actions the hints whose side, as this run measured it, is too large to build now: why, by action id."""
    found = {}
    for action in actions:
        too_large = _TOO_LARGE.get(action.value) if action.kind is ActionKind.HINT_JOIN else None
        if too_large:
            reasons = (too_large(facts, *hinted) for query in facts.queries for hinted in _hinted(query, action))
            if reason := next(filter(None, reasons), ""):
                found[action.id] = reason
    return found


def _hinted(query: Query, action: Action) -> list[tuple[Query, JoinSite, JoinSide]]:
    if query.fingerprint != action.query:
        return []
    joins = [join for join in query.joins if join.signature == action.target]
    return [(query, j, side) for j in joins for side in (j.left, j.right) if side.relations == action.relations]


def _broadcast_too_large(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> str:
    """A side that was broadcast may fill its query's cap before it has to go; it comes back below its own."""
    cap = facts.cap
    broadcast = side.broadcast_bytes is not None
    size = side.broadcast_bytes or relation_bytes(side.rows or 0, side.shuffle_bytes or 0)
    return _over(size, cap.query_bytes if broadcast else cap.one_bytes)


def _task_too_large(facts: Facts, query: Query, join: JoinSite, side: JoinSide) -> str:
    """A side that was hashed may fill half of a task's memory before it has to go; it comes back below a third."""
    cap = facts.task_cap_bytes
    hashed = join.strategy is Strategy.SHUFFLED_HASH
    return _over(task_relation_bytes(query, join, side, facts.selection), int(cap * 1.5) if hashed else cap)


def _over(size: int, most: int) -> str:
    return (
        f"its hash relation has grown to {format_bytes(size)}, the most is {format_bytes(most)}" if size > most else ""
    )


_TOO_LARGE: dict[str, Callable[[Facts, Query, JoinSite, JoinSide], str]] = {
    Hint.BROADCAST: _broadcast_too_large,
    Hint.SHUFFLE_HASH: _task_too_large,
}
