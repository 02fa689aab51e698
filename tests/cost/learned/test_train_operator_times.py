"""The model: what it predicts of queries it has not seen, and how far it says that it is off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tuner.cost.learned import residual as residual_module
from tuner.cost.learned.calibrated_model import VARIABLE, configured_model
from tuner.cost.learned.operator_times import OperatorTimes, load_model, read_model, shipped_model, write_model
from tuner.cost.learned.residual import NO_RESIDUAL, train_residual
from tuner.cost.learned.train_operator_times import MIN_QUERIES, train_operator_times
from tuner.cost.learned.unit_cost_fit import stage_nanoseconds
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.errors import TunerError
from tuner.model.query_work import StageWork

from .nights import night

TRUE = replace(DEFAULT_COSTS, sort=900.0, scan=120.0, aggregate=700.0, shuffle_write=60.0, task=90e6)
PRIOR = OperatorTimes(DEFAULT_COSTS)


def cold_cache(stage: StageWork) -> float:
    """What no price can say: large aggregations are three times as slow as their rows."""
    return 3.0 if stage.amounts.get("aggregate", 0) > 300_000 else 1.0


@pytest.fixture(scope="module")
def plain() -> OperatorTimes:
    return train_operator_times(night(TRUE, queries=120), PRIOR, "a test")


def test_a_model_tells_its_errors_on_queries_left_out(plain: OperatorTimes) -> None:
    assert plain.queries == 120 and plain.trained_on == "a test"
    assert plain.errors["fitted"].median < 1.2 < plain.errors["prior"].median
    assert plain.errors["hybrid"].within_2 > 0.95 and plain.errors["wall"].within_2 > 0.95
    assert plain.errors["wall"].low < 1 < plain.errors["wall"].high


def test_the_clock_is_learned(plain: OperatorTimes) -> None:
    fresh = night(TRUE, queries=50, seed=99)
    factors = np.array([plain.wall_ms(sample.work, sample.cores) / sample.wall_ms for sample in fresh])
    assert float(np.quantile(np.maximum(factors, 1 / factors), 0.9)) < 1.5


def test_trees_are_believed_where_they_help() -> None:
    found = night(TRUE, queries=150, odd=cold_cache)
    model = train_operator_times(found, PRIOR)
    assert model.residual.trees and model.residual.share > 0
    assert model.errors["hybrid"].median < model.errors["fitted"].median
    fresh = night(TRUE, queries=60, seed=99, odd=cold_cache)
    took = np.array([sample.core_ms for sample in fresh])
    with_trees = np.array([model.core_ms(sample.work) for sample in fresh])
    without = np.array([replace(model, residual=NO_RESIDUAL).core_ms(sample.work) for sample in fresh])
    assert _mean_error(with_trees, took) < 0.9 * _mean_error(without, took)


def test_trees_are_not_believed_where_they_only_learned_noise() -> None:
    found = night(TRUE, queries=150, noise=0.6)
    model = train_operator_times(found, PRIOR)
    assert model.errors["hybrid"].median < 1.1 * model.errors["fitted"].median


def test_few_queries_make_prices_and_no_claims() -> None:
    model = train_operator_times(night(TRUE, queries=MIN_QUERIES - 1), PRIOR)
    assert model.errors == {} and model.residual == NO_RESIDUAL
    assert model.costs != PRIOR.costs
    assert train_operator_times([], PRIOR) == PRIOR


def test_runs_of_one_query_are_never_on_both_sides() -> None:
    """The same ten queries over and over, learned by heart, must not look like a good model."""
    strange = night(TRUE, queries=MIN_QUERIES, noise=1.5)
    model = train_operator_times(strange * 20, PRIOR)
    assert model.errors["hybrid"].p90 > 2


def test_stored_trees_say_what_the_library_says(monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn.ensemble

    kept = []

    class Kept(sklearn.ensemble.GradientBoostingRegressor):
        def fit(self, *args: object, **options: object) -> Kept:
            kept.append(self)
            return super().fit(*args, **options)

    monkeypatch.setattr(sklearn.ensemble, "GradientBoostingRegressor", Kept)
    stages = [s for sample in night(TRUE, queries=120, odd=cold_cache) for s in sample.work.stages]
    price = stage_nanoseconds(stages, TRUE)
    learned = train_residual(stages, price)
    expected = np.clip(kept[0].predict(residual_module._features(stages, price)), -1.4, 1.4)
    assert learned.log_factor(stages, price) == pytest.approx(expected, abs=1e-9)


def test_a_model_is_data(plain: OperatorTimes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(write_model(plain))
    assert load_model(path) == plain
    assert configured_model({VARIABLE: str(path)}) == plain


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b"", "is no model"),
        (b"{}", "is no model"),
        (b'{"costs": {"scan": "cheap"}}', "is no model"),
        (b'{"costs": {}, "format": 99}', "train it again"),
    ],
)
def test_a_file_that_is_no_model(document: bytes, said: str) -> None:
    with pytest.raises(TunerError, match=said):
        read_model(document, "model.json")


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TunerError, match="cannot read the model"):
        configured_model({VARIABLE: str(tmp_path / "none.json")})


def test_the_shipped_model_knows_what_it_was_trained_on() -> None:
    model = configured_model({})
    assert model is shipped_model()
    assert "TPC-DS" in model.trained_on
    assert model.errors["wall"].within_2 >= 0.9
    assert model.residual.trees


def _mean_error(predicted: Iterable[float], took: Iterable[float]) -> float:
    return float(np.abs(np.log(np.asarray(predicted) / np.asarray(took))).mean())
