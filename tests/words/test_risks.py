"""What may go wrong with a change, as its runs, its prediction and its reach tell it."""

from __future__ import annotations

from dataclasses import replace

from tests.panel.nights import HINT, PARTITIONS, decided
from tuner.model.action import Action, ActionKind
from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.measured_gain import MeasuredGain
from tuner.words.risks import risk_words

ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")


def predicted(high: float, standing: Standing = Standing.PROPOSED, gained: float | None = None) -> DecidedChange:
    one = decided(standing=standing, gained=gained)
    return replace(one, change=replace(one.change, prediction=Prediction(20.0, 11.0, 9.0, high)))


def told(
    *trial: DecidedChange, gain: MeasuredGain | None = None, queries: int = 1, harm: bool | None = None
) -> list[str]:
    return [r.words for r in risk_words(trial, gain, queries) if harm is None or r.may_harm is harm]


def measured(low: float) -> MeasuredGain:
    return MeasuredGain(2.0, low, 4.0, 0.9, 1, 0, 3)


def test_what_surely_gains_and_reaches_its_query_alone_has_none() -> None:
    assert told(decided()) == []
    assert told(predicted(14.0), gain=measured(0.5)) == []


def test_a_prediction_that_reaches_a_loss() -> None:
    assert told(predicted(22.5), harm=True) == ["may cost up to 2.5 s (predicted)"]


def test_what_was_measured_counts_in_place_of_what_was_predicted() -> None:
    wide = predicted(22.5, Standing.PROMOTED, gained=3.0)
    assert told(wide) == []
    assert told(wide, gain=measured(0.5)) == []
    assert told(wide, gain=measured(-1.5), harm=True) == ["may cost up to 1.5 s (measured)"]
    lost = predicted(14.0, Standing.ROLLED_BACK, gained=-3.0)
    assert told(lost, harm=True) == ["cost 3.0 s in the latest run that measured it"]


def test_a_run_that_failed_with_what_is_still_in_force() -> None:
    why = Reason(ReasonCode.RUN_FAILED, {})
    assert told(replace(decided(standing=Standing.TRIAL), why=why), harm=True) == ["a run failed with it"]
    assert told(replace(decided(standing=Standing.ROLLED_BACK), why=why)) == []


def test_a_pin_holds_whatever_is_measured() -> None:
    assert told(decided(standing=Standing.PINNED)) == ["pinned: stays in force whatever it measures"]


def test_a_property_reaches_queries_that_it_is_not_meant_for() -> None:
    one = decided(PARTITIONS, queries=["q1", "q2"])
    assert told(one, queries=12, harm=False) == ["reaches all 12 queries, meant for 2"]
    assert told(one, queries=2) == []
    assert told(decided(), queries=12) == [], "a hint reaches its own query alone"


def test_changes_that_need_each_other_and_values_left_out() -> None:
    order, hint = decided(ORDER), replace(decided(HINT, needs=ORDER.id), excluded=("a0", "b1"))
    assert told(order, hint, harm=False) == [
        "2 changes that stand or fall together",
        "left out for 2 sets of filter values, where it lost or failed",
    ]
