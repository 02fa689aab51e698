"""Advisor: join a block's relations in another order, where measured rows say that far fewer then come between joins, with
the broadcasts that the order calls for: what it gains, it may gain by those alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.advice.candidates.order_broadcasts import OrderBroadcast, order_broadcasts
from tuner.advice.candidates.order_changes import OrderChange, OrderPrices
from tuner.advice.candidates.order_names import joined_names, order_words, relation_names
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Evidence, Recommendation, Risk
from tuner.plan.order_text import order_text
from tuner.units import format_rows, format_seconds


def advise_join_orders(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each block of each query that another order would clearly run in less time."""
    prices = OrderPrices(facts)
    worth: dict[tuple[str, str], OrderChange] = {}
    for change in prices.clear_changes():
        key = (change.query.fingerprint, change.graph.signature)
        if key not in worth or change.gain.expected > worth[key].gain.expected:
            worth[key] = change
    changes = list(worth.values())
    for change, broadcasts in zip(changes, order_broadcasts(facts, prices, changes), strict=True):
        yield _recommendation(change, broadcasts)


def _why(change: OrderChange, names: Sequence[str]) -> str:
    early = f"joining {joined_names(names, change.largest)} early"
    if change.has_clearly_fewer_rows:
        rows = f"{format_rows(change.rows)} came between the joins, {format_rows(change.other_rows)} would"
        return f"{early} makes rows that later joins drop: {rows}"
    return f"{early} shuffles and sorts rows that other joins would drop first: about {format_seconds(change.gain.expected)} less"


def _broadcasting(broadcasts: Sequence[OrderBroadcast]) -> str:
    sides = [f"{one.name} (at most {format_rows(one.side.rows or 0)})" for one in broadcasts]
    return f"; broadcast in it: {', '.join(sides)}" if sides else ""


def _evidence(one: OrderBroadcast) -> Evidence:
    return Evidence(
        "rows to broadcast in that order, if estimates are as wrong as they may be",
        one.side.rows or 0,
        "rows",
        one.name,
    )


def _recommendation(change: OrderChange, broadcasts: Sequence[OrderBroadcast]) -> Recommendation:
    graph, names = change.graph, relation_names(change.graph)
    fingerprint = change.query.fingerprint
    order = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(change.other.order, graph), fingerprint)
    return Recommendation(
        actions=(order, *(broadcast.action(change.query) for broadcast in broadcasts)),
        queries=(fingerprint,),
        reason=(
            f"{_why(change, names)} if you join in this order: {order_words(change.other.order, names)}"
            f"{_broadcasting(broadcasts)}"
        ),
        evidence=(*change.evidence, *map(_evidence, broadcasts)),
        predicted_seconds=change.predicted,
        risk=Risk.MEDIUM,
        advisor="join_order",
    )
