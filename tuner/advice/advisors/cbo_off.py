"""Advisor: Spark's cost-based join reordering off, where runs without it were faster in the orders as written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.executions import Execution, executions, median_seconds, renumbered_order
from tuner.advice.candidates.order_changes import MIN_GAIN_SECONDS
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.facts import Facts
from tuner.cost.card_weight import NOISE
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import JOIN_REORDER


@dataclass(frozen=True, slots=True)
class _Compared:
    """A query that the reordering gave another order, now and as it was written."""

    now: list[Execution]
    written: list[Execution]


def advise_cbo_off(facts: Facts) -> Iterator[Change]:
    """Measured on both sides: the queries whose orders it changed are together slower than runs without it were."""
    if not CboConf.read(facts.conf).reorders:
        return
    compared = [found for each in executions(facts).values() if (found := _compared(each))]
    if not compared:
        return
    before, after = (sum(median_seconds(getattr(c, name)) for c in compared) for name in ("now", "written"))
    low = sum(min(e.seconds for e in c.written) for c in compared) * (1 - NOISE)
    high = sum(max(e.seconds for e in c.written) for c in compared) * (1 + NOISE)
    predicted = Prediction(before, after, min(low, after), high)
    if predicted.gain >= MIN_GAIN_SECONDS and high < before:
        yield _recommendation(compared, predicted)


def _compared(each: list[Execution]) -> _Compared | None:
    now = [e for e in each if e.latest]
    written = [e for e in each if not e.conf.reorders and _differs(e, now[-1])]
    return _Compared(now, written) if written else None


def _differs(then: Execution, now: Execution) -> bool:
    """Whether a block ran in another order."""
    for graph in now.query.graphs:
        other = then.graph(graph.signature)
        if other is not None and order_shape(renumbered_order(graph, other)) != order_shape(graph.written):
            return True
    return False


def _recommendation(compared: list[_Compared], predicted: Prediction) -> Change:
    slower = sum(median_seconds(c.now) > median_seconds(c.written) for c in compared)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, JOIN_REORDER.property, "false"),),
        queries=tuple(c.now[-1].query.fingerprint for c in compared),
        reason=Reason(
            ReasonCode.CBO_OFF,
            {"queries": len(compared), "seconds": predicted.before, "seconds_as_written": predicted.after},
        ),
        evidence=(
            Evidence("queries that it gave another order", len(compared), "queries"),
            Evidence("of these slower for it", slower, "queries"),
            Evidence("runs of them in the written order", sum(len(c.written) for c in compared), "runs"),
            Evidence("seconds in the written order, at most", predicted.high, "seconds"),
        ),
        prediction=predicted,
        risk=Risk.LOW,
        advisor="cbo_off",
    )
