"""While a query's joins are tried in another order for the first time, nothing else is tried on those joins: they may not
exist then. What the order itself calls for comes with it; when it has run, what is advised on its joins is tried beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tuner.advice.model import Action, ActionKind
from tuner.history.model import IN_FORCE, DecidedAction, Run, Standing
from tuner.policy.followed import in_effect
from tuner.policy.held_back import held_back
from tuner.policy.together import together

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
_WHY = "the joins of a query it is for are tried in another order first"


def orders_first(decided: Iterable[DecidedAction], latest: Run | None = None) -> list[DecidedAction]:
    """Hints of a query with an order on trial wait for it, as do properties about joins that are on trial themselves.

    A hint that is proven waits, too: the agent would not find its join, and it would expire for that. Properties that
    are proven name no join, and stay; so does what a person pinned, a hint that came with the order, and one on a join that
    the `latest` measured run has had in that order.
    """
    found = list(decided)
    there = _joins_in_order(latest, {d.action.id for d in found if d.standing is Standing.TRIAL})
    orders = [d for d in found if d.action.kind is ActionKind.ORDER_JOINS and d.standing is Standing.TRIAL]
    ordered, called_for = {query for d in orders for query in d.queries}, {together(d) for d in orders}
    waiting = (
        _waits(d, ordered) and (d.action.query, d.action.target) not in there and together(d) not in called_for
        for d in found
    )
    return [held_back(d, _WHY) if waits else d for d, waits in zip(found, waiting, strict=True)]


def _joins_in_order(latest: Run | None, on_trial: Collection[str]) -> set[tuple[str | None, str]]:
    """Fingerprints and signatures of the joins of a run in queries that it ran in the orders on trial, all of them."""
    if latest is None or latest.outcome is None:
        return set()
    ran = {d.action.id: d.action.query for d in in_effect(latest) if d.action.kind is ActionKind.ORDER_JOINS}
    queries = {query for id_, query in ran.items() if id_ in on_trial}
    return {(q.fingerprint, j.signature) for q in latest.outcome.queries if q.fingerprint in queries for j in q.joins}


def _waits(decided: DecidedAction, ordered: set[str]) -> bool:
    if decided.standing not in IN_FORCE or decided.standing is Standing.PINNED:
        return False
    action = decided.action
    if action.kind is ActionKind.HINT_JOIN:
        return action.query in ordered
    return decided.standing is Standing.TRIAL and _is_about_joins(action) and not ordered.isdisjoint(decided.queries)


def _is_about_joins(action: Action) -> bool:
    return action.kind is ActionKind.SET_CONF and action.target.startswith(_ABOUT_JOINS)
