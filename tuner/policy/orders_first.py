"""While a query's joins are tried in another order, nothing else is tried on those joins: they may not exist then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tuner.advice.model import Action, ActionKind
from tuner.history.model import IN_FORCE, DecidedAction, Standing

# Properties that were chosen by the sides of joins, as they were before.
_ABOUT_JOINS = (
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold",
    "spark.sql.adaptive.skewJoin.",
    "spark.sql.adaptive.forceOptimizeSkewedJoin",
    "spark.sql.cbo.",
    "spark.sql.join.",
    "spark.sql.optimizer.runtime.bloomFilter.",
)


def orders_first(decided: Iterable[DecidedAction]) -> list[DecidedAction]:
    """Hints of a query with an order on trial wait for it, as do properties about joins that are on trial themselves.

    A hint that is proven waits, too: the agent would not find its join, and it would expire for that. Properties that
    are proven name no join, and stay; so does what a person pinned.
    """
    found = list(decided)
    ordered = {
        query
        for d in found
        if d.action.kind is ActionKind.ORDER_JOINS and d.standing is Standing.TRIAL
        for query in d.queries
    }
    return [_held(d) if _waits(d, ordered) else d for d in found]


def _waits(decided: DecidedAction, ordered: set[str]) -> bool:
    if decided.standing not in IN_FORCE or decided.standing is Standing.PINNED:
        return False
    action = decided.action
    if action.kind is ActionKind.HINT_JOIN:
        return action.query in ordered
    return decided.standing is Standing.TRIAL and _is_about_joins(action) and not ordered.isdisjoint(decided.queries)


def _is_about_joins(action: Action) -> bool:
    return action.kind is ActionKind.SET_CONF and action.target.startswith(_ABOUT_JOINS)


def _held(decided: DecidedAction) -> DecidedAction:
    why = "held: the joins of a query it is for are tried in another order first"
    return replace(decided, standing=Standing.HELD, reason=f"{decided.reason}; {why}")
