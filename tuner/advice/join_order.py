"""Advisor: join a block's relations in another order, where measured rows say that far fewer then come between joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.advice.facts import Facts
from tuner.advice.model import Action, ActionKind, Recommendation, Risk
from tuner.advice.order_names import joined_names, relation_names, spelled
from tuner.advice.orders import OrderChange, OrderPrices
from tuner.plan.order_text import order_text
from tuner.units import format_rows, format_seconds


def advise_join_orders(facts: Facts) -> Iterator[Recommendation]:
    """One recommendation for each block of each query that another order would clearly run in less time."""
    worth: dict[tuple[str, str], OrderChange] = {}
    for change in OrderPrices(facts).better():
        key = (change.query.fingerprint, change.graph.signature)
        if key not in worth or change.gain.expected > worth[key].gain.expected:
            worth[key] = change
    yield from map(_recommendation, worth.values())


def _why(change: OrderChange, names: Sequence[str]) -> str:
    early = f"joining {joined_names(names, change.largest)} early"
    if change.has_clearly_fewer_rows:
        rows = f"{format_rows(change.rows)} came between the joins, {format_rows(change.other_rows)} would"
        return f"{early} makes rows that later joins drop: {rows}"
    return f"{early} shuffles and sorts rows that other joins would drop first: about {format_seconds(change.gain.expected)} less"


def _recommendation(change: OrderChange) -> Recommendation:
    graph, names = change.graph, relation_names(change.graph)
    fingerprint = change.query.fingerprint
    order = order_text(change.other.order, graph)
    return Recommendation(
        actions=(Action(ActionKind.ORDER_JOINS, graph.signature, order, fingerprint),),
        queries=(fingerprint,),
        reason=f"{_why(change, names)} if you join in this order: {spelled(change.other.order, names)}",
        evidence=change.evidence,
        predicted_seconds=change.predicted,
        risk=Risk.MEDIUM,
        advisor="join_order",
    )
