"""Insight: inner joins in an order that makes far more rows than another would, where seconds saved are not sure."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.order_changes import MIN_GAIN_SECONDS, OrderChange, OrderPrices
from tuner.advice.candidates.order_names import joined_names, order_words, relation_names
from tuner.advice.facts import Facts
from tuner.model.insight import Insight, InsightKind
from tuner.printable import listed


def unsure_orders(facts: Facts) -> Iterator[Insight]:
    """Orders with clearly fewer rows between the joins that are not recommended: they may save nothing as well."""
    for change in facts.once(OrderPrices).changes():
        if change.has_clearly_fewer_rows and not change.is_clear and change.gain.expected >= MIN_GAIN_SECONDS:
            yield _insight(change)


def _insight(change: OrderChange) -> Insight:
    graph, names = change.graph, relation_names(change.graph)
    by_rows = sorted(range(len(names)), key=lambda r: -(graph.relations[r].rows or 0))
    return Insight(
        kind=InsightKind.JOIN_ORDER,
        operator=f"{len(names) - 1} inner joins of {listed(names[r] for r in by_rows)}",
        query=change.query.fingerprint,
        seconds=change.predicted.before - change.predicted.low,
        evidence=change.evidence,
        description=change.query.description,
        numbers={"early": joined_names(names, change.largest), "order": order_words(change.other.order, names)},
    )
