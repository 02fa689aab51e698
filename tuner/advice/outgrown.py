"""Which broadcast hints no longer fit: a hint, unlike a threshold, still forces what has grown since it was given."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.advice.facts import Facts
from tuner.advice.model import Action, ActionKind, Hint
from tuner.cost.memory import BroadcastCap, relation_bytes
from tuner.plan.model import JoinSide, Query
from tuner.units import format_bytes


def outgrown(facts: Facts, actions: Iterable[Action]) -> dict[str, str]:
    """Of these actions the broadcast hints whose side, as this run measured it, is too large now: why, by action id."""
    cap = facts.cap
    found = {}
    for action in actions:
        if action.kind is ActionKind.HINT_JOIN and action.value == Hint.BROADCAST:
            reasons = (_too_large(side, cap) for query in facts.queries for side in _hinted(query, action))
            if reason := next(filter(None, reasons), ""):
                found[action.id] = reason
    return found


def _hinted(query: Query, action: Action) -> list[JoinSide]:
    if query.fingerprint != action.query:
        return []
    joins = [join for join in query.joins if join.signature == action.target]
    return [side for join in joins for side in (join.left, join.right) if side.relations == action.relations]


def _too_large(side: JoinSide, cap: BroadcastCap) -> str:
    """A side that was broadcast may fill its query's cap before it has to go; it comes back below its own."""
    broadcast = side.broadcast_bytes is not None
    size = side.broadcast_bytes or relation_bytes(side.rows or 0, side.shuffle_bytes or 0)
    most = cap.query_bytes if broadcast else cap.one_bytes
    return (
        f"its hash relation has grown to {format_bytes(size)}, the most is {format_bytes(most)}" if size > most else ""
    )
