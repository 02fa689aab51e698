"""Intervals of what is foretold: by what came of such predictions, never less sure of what a trial is weighed by."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.policy.histories import hint, recommend
from tuner.advice.foretold_interval import with_foretold_interval
from tuner.cost.learned.prediction_errors import ErrorBounds, PredictionErrors
from tuner.model.change import Prediction

FORETOLD = recommend(hint(), before=10, after=5, high=6)[0]
HALF_TO_DOUBLE = PredictionErrors({}, ErrorBounds(-math.log(2), math.log(2), 40))


def test_the_interval_is_what_came_of_others_and_the_worst_stays() -> None:
    found = with_foretold_interval(FORETOLD, HALF_TO_DOUBLE)
    assert found.prediction == Prediction(10, 5, 2.5, pytest.approx(10), worst=6)
    assert found.prediction.worst_loss == FORETOLD.prediction.worst_loss == 0  # type: ignore[union-attr]
    assert [(e.value, e.unit) for e in found.evidence[len(FORETOLD.evidence) :]] == [(40, "predictions")]
    assert found.id == FORETOLD.id


def test_it_holds_what_is_expected_where_errors_lean_to_one_side() -> None:
    slower = PredictionErrors({}, ErrorBounds(0.1, 0.5, 40))
    found = with_foretold_interval(FORETOLD, slower).prediction
    assert found is not None and found.low == found.after < found.high


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(replace(FORETOLD, secures=True), id="it only secures a plan"),
        pytest.param(replace(FORETOLD, prediction=None), id="nothing is foretold"),
    ],
)
def test_what_foretells_no_gain_stays_as_it_is(change: object) -> None:
    assert with_foretold_interval(change, HALF_TO_DOUBLE) is change  # type: ignore[arg-type]


def test_without_pairs_an_advisor_keeps_its_own() -> None:
    assert with_foretold_interval(FORETOLD, PredictionErrors({}, None)) is FORETOLD
