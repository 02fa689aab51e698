"""While a query's joins are tried in another order, nothing else is tried on joins that are not there in it. What the order
itself calls for comes with it; when it has run, what is advised on its joins is tried beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.decision import IN_FORCE, DecidedAction, Standing
from tuner.model.run import Run
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.ordered_joins import ordered_joins
from tuner.policy.followed import in_effect
from tuner.policy.held_back import held_back
from tuner.policy.measured_values import for_others
from tuner.policy.together import together
from tuner.spark.knobs import KNOBS
from tuner.spark.lever import Lever

# Properties that were chosen by the sides of joins, as they were before.
_ABOUT_JOINS = frozenset(
    {Lever.BROADCASTS, Lever.JOIN_HASH_MAPS, Lever.SKEW_SPLITS, Lever.JOIN_ORDERS, Lever.RUNTIME_FILTERS}
)
_WHY = "the joins of a query it is for are tried in another order first"


def orders_first(decided: Iterable[DecidedAction], latest: Run | None = None) -> list[DecidedAction]:
    """Hints of a query with an order on trial wait for it, as do properties about joins that are on trial themselves.

    A hint that is proven waits, too: the agent would not find its join, and it would expire for that. Properties that
    are proven name no join, and stay; so does what a person pinned, what is for other values than the order, a hint that
    came with it, and one on a join that the `latest` measured run tells to be there in that order as well.
    """
    found = list(decided)
    orders = [d for d in found if d.action.kind is ActionKind.ORDER_JOINS and d.standing is Standing.TRIAL]
    if not orders:
        return found
    called_for = {together(d) for d in orders}
    in_force = (d.action for d in found if d.action.kind is ActionKind.ORDER_JOINS and d.standing in IN_FORCE)
    there = set(_joins_there(latest, list(in_force)))
    waiting = (
        _waits(d, {query for o in orders if not for_others(d, o) for query in o.queries})
        and (d.action.query, d.action.target) not in there
        and together(d) not in called_for
        for d in found
    )
    return [held_back(d, _WHY) if waits else d for d, waits in zip(found, waiting, strict=True)]


def _joins_there(latest: Run | None, orders: Sequence[Action]) -> Iterator[tuple[str, str]]:
    """Fingerprints and signatures of the joins that queries of a run will have in these orders: those that it had, but in
    blocks that it did not run so those that the orders make. Nothing of a query without such blocks."""
    if latest is None or latest.outcome is None:
        return
    ran = {decided.action.id for decided in in_effect(latest)}
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


def _waits(decided: DecidedAction, ordered: set[str]) -> bool:
    if decided.standing not in IN_FORCE or decided.standing is Standing.PINNED:
        return False
    action = decided.action
    if action.kind is ActionKind.HINT_JOIN:
        return action.query in ordered
    return decided.standing is Standing.TRIAL and _is_about_joins(action) and not ordered.isdisjoint(decided.queries)


def _is_about_joins(action: Action) -> bool:
    knob = KNOBS.get(action.target) if action.kind is ActionKind.SET_CONF else None
    return knob is not None and knob.lever in _ABOUT_JOINS
