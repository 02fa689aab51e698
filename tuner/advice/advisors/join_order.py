"""Advisor: join a block's relations in another order, where measured rows say that far fewer then come between joins, with
the broadcasts that the order calls for: what it gains, it may gain by those alone. Groups that the query makes several times
of the block are made once with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.advice.candidates.order_broadcasts import OrderBroadcast, order_broadcasts
from tuner.advice.candidates.order_changes import OrderChange, OrderPrices
from tuner.advice.candidates.order_names import joined_names, order_words, relation_names
from tuner.advice.candidates.order_shares import OrderShare, order_shares, with_share
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Risk
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.order_text import order_text
from tuner.plan.relation import short_name


def advise_join_orders(facts: Facts) -> Iterator[Change]:
    """One recommendation for each block of each query that another order would clearly run in less time."""
    prices = facts.once(OrderPrices)
    worth: dict[tuple[str, str], OrderChange] = {}
    for change in prices.clear_changes():
        key = (change.query.fingerprint, change.graph.signature)
        if key not in worth or change.gain.expected > worth[key].gain.expected:
            worth[key] = change
    changes = list(worth.values())
    broadcasts = order_broadcasts(facts, prices, changes)
    given = [prices.without_hints(change, of.refused) for change, of in zip(changes, broadcasts, strict=True)]
    for change, of, share in zip(given, broadcasts, order_shares(facts, given), strict=True):
        if change.is_clear:
            yield from _recommended(with_share(change, share), of.given, share)


def _reason(
    change: OrderChange, names: Sequence[str], broadcasts: Sequence[OrderBroadcast], share: OrderShare | None
) -> Reason:
    fewer = change.has_clearly_fewer_rows
    return Reason(
        ReasonCode.JOIN_ORDER,
        {
            "early": joined_names(names, change.largest),
            "rows": change.rows if fewer else None,
            "fewer_rows": change.other_rows if fewer else None,
            "gain_seconds": change.gain.expected,
            "order": order_words(change.other.order, names),
            "broadcasts": tuple(one.name for one in broadcasts),
            "most_broadcast_rows": tuple(one.side.rows or 0 for one in broadcasts),
            "times_before": share.groups.subplan.times if share else None,
        },
    )


def _evidence(one: OrderBroadcast) -> Evidence:
    return Evidence(
        "rows to broadcast in that order, if estimates are as wrong as they may be",
        one.side.rows or 0,
        "rows",
        one.name,
    )


def _of_share(share: OrderShare | None) -> Iterator[Evidence]:
    if share:
        subplan = share.groups.subplan
        names = " and ".join(map(short_name, subplan.relations))
        yield Evidence("times that their groups were made", subplan.times, "times", names)
        yield Evidence("making them once in that order", share.saved.expected, "seconds")


def _recommended(
    change: OrderChange, broadcasts: Sequence[OrderBroadcast], share: OrderShare | None
) -> Iterator[Change]:
    """The order, and what comes with it: one trial, with one prediction."""
    graph, names = change.graph, relation_names(change.graph)
    queries = (change.query.fingerprint,)
    action = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(change.other.order, graph), queries[0])
    reason = _reason(change, names, broadcasts, share)
    evidence = (*change.evidence, *map(_evidence, broadcasts), *_of_share(share))
    order = Change.of("join_order", (action,), queries, reason, evidence, change.predicted, Risk.MEDIUM)
    yield order
    for hint in (*(one.action(change.query) for one in broadcasts), *([share.action] if share else [])):
        yield Change.of("join_order", (hint,), queries, reason, evidence, change.predicted, Risk.MEDIUM, order.id)
