"""How right predictions were, over all that was observed."""

from __future__ import annotations

import random

import pytest

from tuner.model.change import Prediction
from tuner.replay.cohort_replay import Observed
from tuner.replay.score import backtest


def observed(predicted: float, after: float, before: float = 10.0, by_tuner: bool = False) -> Observed:
    prediction = Prediction(before, predicted, predicted * 0.8, predicted * 1.2)
    return Observed(("a",), "a", ("q",), "1", "2", prediction, before, after, by_tuner)


def test_of_nothing_there_is_no_score() -> None:
    assert backtest([]).pairs == 0
    assert backtest([observed(5, 5, before=0)]).pairs == 0


def test_predictions_in_the_right_order_correlate_whatever_they_are_off_by() -> None:
    found = backtest([observed(5, 9), observed(4, 8), observed(3, 7, by_tuner=True)])
    assert (found.pairs, found.by_tuner, found.rank_correlation) == (3, 1, pytest.approx(1.0))
    assert (found.coverage, found.right) == (0.0, 1.0)
    assert found.median_error == pytest.approx(0.4)


def test_predictions_in_the_wrong_order_correlate_negatively() -> None:
    assert backtest([observed(5, 5), observed(4, 6), observed(3, 7)]).rank_correlation == pytest.approx(-1.0)


def test_what_is_all_alike_has_no_order() -> None:
    assert backtest([observed(5, 5)] * 5).rank_correlation is None
    assert backtest([observed(5, 5), observed(4, 4)]).rank_correlation is None


def test_a_change_that_made_it_slower_was_wrong() -> None:
    found = backtest([observed(5, 5), observed(5, 12)])
    assert (found.right, found.coverage) == (0.5, 0.5)


def test_ranks_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(7)
    pairs = [(chance.choice([1, 2, 3, 4.5, 7]), chance.uniform(1, 12)) for _ in range(60)]
    expected = stats.spearmanr([10 - p for p, _ in pairs], [10 - m for _, m in pairs]).statistic
    assert backtest([observed(p, m) for p, m in pairs]).rank_correlation == pytest.approx(expected)
