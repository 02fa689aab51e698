"""While a query's joins are tried in another order, nothing else is tried on joins that are not there in it. What the order
itself calls for comes with it; when it has run, what is advised on its joins is tried beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.ordered_joins import ordered_joins
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.held_back import held_back
from tuner.policy.measured_values import act_on_others
from tuner.policy.situation import Situation
from tuner.spark.knobs import KNOBS
from tuner.spark.lever import Lever

# Properties that were chosen by the sides of joins, as they were before.
_ABOUT_JOINS = frozenset(
    {Lever.BROADCASTS, Lever.JOIN_HASH_MAPS, Lever.SKEW_SPLITS, Lever.JOIN_ORDERS, Lever.RUNTIME_FILTERS}
)


def reorder_first(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Hints of a query with an order on trial wait for it, as do properties about joins that are on trial themselves.

    A hint that is proven waits, too: the agent would not find its join, and it would expire for that. Properties that
    are proven name no join, and stay; so does what a person pinned, what is for other values than the order, a hint that
    came with it, and one on a join that the latest measured run tells to be there in that order as well.
    """
    orders = [d for d in decided if d.change.kind is ActionKind.ORDER_JOINS and d.standing is Standing.TRIAL]
    if not orders:
        return list(decided)
    tried = {order.id for order in orders}
    in_force = [d.change.actions[0] for d in decided if d.change.kind is ActionKind.ORDER_JOINS and d.is_in_force]
    there = set(_joins_there(situation.latest_run, in_force))
    soon = [order for order in orders if not situation.is_far_off(order)]
    waiting = (
        _waits(d, {query for o in soon if not act_on_others(d, o) for query in o.queries})
        and (d.change.query, d.change.actions[0].target) not in there
        and d.change.trial not in tried
        for d in decided
    )
    why = Reason(ReasonCode.REORDERED_FIRST)
    return [held_back(d, why) if waits else d for d, waits in zip(decided, waiting, strict=True)]


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
        and _is_about_joins(decided.change)
        and not ordered.isdisjoint(decided.queries)
    )


def _is_about_joins(change: Change) -> bool:
    knobs = (KNOBS.get(action.target) for action in change.actions if action.kind is ActionKind.SET_CONF)
    return any(knob is not None and knob.lever in _ABOUT_JOINS for knob in knobs)
