"""While a query's joins are in another order, nothing is tried on joins that are not there in it. What an order on trial calls
for comes with it; when it has run, what is advised on its joins is tried beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.ordered_joins import ordered_joins
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.held_back import held_back
from tuner.policy.levers_set import levers_set
from tuner.policy.measured_values import act_on_others
from tuner.policy.situation import Situation
from tuner.spark.lever import Lever

# Properties that were chosen by the sides of joins, as they were before.
_ABOUT_JOINS = frozenset(
    {Lever.BROADCASTS, Lever.JOIN_HASH_MAPS, Lever.SKEW_SPLITS, Lever.JOIN_ORDERS, Lever.RUNTIME_FILTERS}
)


def reorder_first(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Hints of a query with an order on trial wait for it, as do properties about joins that are on trial themselves.

    A hint that is proven waits, too: the agent would not find its join, and it would expire for that. Properties that
    are proven name no join, and stay; so does what a person pinned, what is for other values than the order, a hint that
    came with it, and one on a join that the latest measured run tells to be there in that order as well. For an order that is
    proven, and that the latest run was without, hints wait that are advised from that run.
    """
    in_force = [d for d in decided if d.change.kind is ActionKind.ORDER_JOINS and d.is_in_force]
    tried = [order for order in in_force if order.standing is Standing.TRIAL]
    missed = [order for order in in_force if order not in tried and _ran_without(situation.latest_run, order)]
    if not tried and not missed:
        return list(decided)
    there = set(_joins_there(situation.latest_run, [order.change.actions[0] for order in in_force]))
    soon = [order for order in tried if not situation.is_far_off(order)]

    def why(d: DecidedChange) -> ReasonCode | None:
        stays = (d.change.query, d.change.actions[0].target) in there
        if stays or any(d.change.trial == order.id for order in (*tried, *missed)):
            return None
        if _waits(d, _queries_of(soon, d)):
            return ReasonCode.REORDERED_FIRST
        is_new = d.standing is Standing.TRIAL and d.change.kind is ActionKind.HINT_JOIN
        return ReasonCode.NOT_IN_ORDER if is_new and d.change.query in _queries_of(missed, d) else None

    return [held_back(d, Reason(code)) if (code := why(d)) else d for d in decided]


def _ran_without(latest: Run | None, order: DecidedChange) -> bool:
    """Whether a run had the query of an order, in another one."""
    if latest is None or latest.outcome is None:
        return False
    has_query = any(query.fingerprint == order.change.query for query in latest.outcome.queries)
    return has_query and all(one.id != order.id for one in changes_in_effect(latest))


def _queries_of(orders: Sequence[DecidedChange], beside: DecidedChange) -> set[str]:
    """Those of the orders that act where another change does."""
    return {query for order in orders if not act_on_others(beside, order) for query in order.queries}


def _joins_there(latest: Run | None, orders: Sequence[Action]) -> Iterator[tuple[str, str]]:
    """Fingerprints and signatures of the joins that queries of a run will have in these orders: those that it had, but in
    blocks that it did not run so those that the orders make. Nothing of a query without such blocks."""
    if latest is None or latest.outcome is None:
        return
    ran = {decided.id for decided in changes_in_effect(latest)}
    ordered = {order.query for order in orders}
    for query in (query for query in latest.outcome.queries if query.fingerprint in ordered):
        of_block = {o.target: o.value for o in orders if o.query == query.fingerprint and o.id not in ran}
        blocks = [graph for graph in query.graphs if graph.signature in of_block]
        if of_block.keys() != {graph.signature for graph in blocks}:
            continue
        try:
            made = [join for g in blocks for join in ordered_joins(g, parse_order(of_block[g.signature], g))]
        except OrderTextError:
            continue
        gone = {join.signature for graph in blocks for join in ordered_joins(graph, graph.written)}
        there = {join.signature for join in query.joins} - gone | {join.signature for join in made}
        yield from ((query.fingerprint, signature) for signature in there)


def _waits(decided: DecidedChange, ordered: set[str]) -> bool:
    if not decided.is_in_force or decided.standing is Standing.PINNED:
        return False
    if decided.change.kind is ActionKind.HINT_JOIN:
        return decided.change.query in ordered
    return (
        decided.standing is Standing.TRIAL
        and not _ABOUT_JOINS.isdisjoint(levers_set(decided.change))
        and not ordered.isdisjoint(decided.queries)
    )
