"""Advisor: the weight of rows against bytes in Spark's reordering, where timed orders say another finds better ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.order_changes import (
    MIN_GAIN_SECONDS,
    OrderChange,
    OrderPrices,
    predict_orders,
)
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.candidates.spark_order_choice import spark_order_choice
from tuner.advice.candidates.timed_orders import timed_orders
from tuner.advice.facts import Facts
from tuner.cost.card_weight import FittedWeight, fit_weight
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import tree_of
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import JOIN_REORDER_WEIGHT

# Fewer pairs of orders rank alike by chance.
_MIN_PAIRS = 3


def advise_card_weight(facts: Facts) -> Iterator[Change]:
    """A weight that ranks the orders tried so far better, and by which Spark would choose better ones; none of them reads
    partitions that were pruned."""
    conf = CboConf.read(facts.conf)
    if not conf.reorders:
        return
    fitted = fit_weight(facts.once(timed_orders), conf.weight)
    if fitted is None or fitted.pairs < _MIN_PAIRS or fitted.concordance <= fitted.before:
        return
    changes = _changes(facts, conf, fitted.weight)
    # Not by rows: a lower weight has more of them for fewer bytes.
    if any(change.gain.low > 0 for change in changes) and all(change.keeps_pruning for change in changes):
        predicted = predict_orders(changes)
        if predicted.gain >= MIN_GAIN_SECONDS and predicted.high < predicted.before:
            yield _recommendation(fitted, changes, predicted)


def _changes(facts: Facts, conf: CboConf, weight: float) -> list[OrderChange]:
    """The blocks that Spark would order otherwise by the weight than by the current one."""
    prices = OrderPrices(facts)
    now, then = (
        spark_order_choice(facts, conf, conf.threshold),
        spark_order_choice(facts, replace(conf, weight=weight), conf.threshold),
    )
    found = []
    for query, graph in prices.blocks():
        sizes = Cardinality(graph)
        written = tree_of(graph.written, sizes.size)
        one, other = now(graph, sizes, written), then(graph, sizes, written)
        if one is not None and other is not None and order_shape(one.order) != order_shape(other.order):
            found.append(prices.change(query, graph, then))
    return [change for change in found if change is not None]


def _recommendation(fitted: FittedWeight, changes: Sequence[OrderChange], predicted: Prediction) -> Change:
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, JOIN_REORDER_WEIGHT.property, f"{fitted.weight:g}"),),
        queries=tuple(dict.fromkeys(change.query.fingerprint for change in changes)),
        reason=Reason(
            ReasonCode.CARD_WEIGHT,
            {
                "weight": fitted.weight,
                "share_ranked": fitted.concordance,
                "share_ranked_before": fitted.before,
                "pairs": fitted.pairs,
                "blocks": len(changes),
                "gain_seconds": predicted.gain,
            },
        ),
        evidence=(
            Evidence("pairs of timed orders", fitted.pairs, "pairs"),
            Evidence("ranked as their times do", fitted.concordance, "share"),
            Evidence("ranked so by the current weight", fitted.before, "share"),
            Evidence("rows between the joins as they ran", sum(c.rows for c in changes), "rows"),
            Evidence("rows between them by the fitted weight", sum(c.other_rows for c in changes), "rows"),
        ),
        prediction=predicted,
        risk=JOIN_REORDER_WEIGHT.risk,
        advisor="card_weight",
    )
