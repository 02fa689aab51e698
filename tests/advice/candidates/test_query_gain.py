"""No query gives more than most of its seconds, however much is advised for it."""

from __future__ import annotations

import pytest

from tests.advice.joins import query
from tuner.advice.candidates.query_gain import predict_gains, total_gain, total_seconds
from tuner.cost.what_if.interval import Interval
from tuner.model.change import Prediction

SHORT, LONG = query(seconds=10), query(seconds=100)


def test_gains_of_one_query_are_capped_together_and_losses_are_not() -> None:
    assert total_gain([(SHORT, 5.0), (SHORT, 6.0), (LONG, 7.0)]) == pytest.approx(8 + 7)
    assert total_gain([(SHORT, -50.0), (SHORT, 1.0)]) == -49


def test_a_query_that_is_named_twice_counts_its_seconds_once() -> None:
    assert total_seconds([SHORT, LONG, SHORT]) == 110


def test_a_prediction_is_the_seconds_of_the_queries_less_what_each_gains() -> None:
    gains = [(SHORT, Interval(-1.0, 4.0, 9.0)), (LONG, Interval(1.0, 2.0, 3.0))]
    assert predict_gains(gains) == Prediction(110, 104, pytest.approx(110 - 8 - 3), 110)
