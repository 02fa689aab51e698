"""Bounds of what is foretold: nine of ten of what comes are between them, whatever errors look like."""

from __future__ import annotations

import math
import random

import pytest

from tuner.cost.learned.prediction_errors import (
    MIN_PAIRS,
    PredictionPair,
    errors_with,
    prediction_errors,
    shipped_errors,
    shipped_pairs,
)


def pairs(advisor: str, errors: list[float], foretold: float = -0.5) -> list[PredictionPair]:
    return [PredictionPair(advisor, "job", foretold, foretold + error) for error in errors]


@pytest.mark.parametrize("draw", [random.Random(1).gauss, random.Random(2).lognormvariate])
def test_nine_of_ten_new_ones_are_within(draw: object) -> None:
    def errors(count: int) -> list[float]:
        return [draw(0.1, 0.4) for _ in range(count)]  # type: ignore[operator]

    held = []
    for _ in range(200):
        bounds = prediction_errors(pairs("a", errors(60))).bounds("a")
        assert bounds is not None
        held += [bounds.low <= error <= bounds.high for error in errors(50)]
    assert 0.88 < sum(held) / len(held) < 0.95


def test_an_advisor_with_too_few_pairs_has_those_of_others() -> None:
    many, few = pairs("many", [0.01 * n for n in range(MIN_PAIRS)]), pairs("few", [3.0] * 3)
    errors = prediction_errors([*many, *few])
    assert errors.bounds("many").high == pytest.approx(0.01 * (MIN_PAIRS - 1))  # type: ignore[union-attr]
    assert errors.bounds("few") == errors.bounds("never seen") == errors.others
    assert errors.others is not None and errors.others.pairs == MIN_PAIRS + 3
    rest = pairs("rest", [-1.0] * (MIN_PAIRS - 3))
    assert prediction_errors([*many, *few, *rest]).others.pairs == MIN_PAIRS  # type: ignore[union-attr]


def test_too_few_pairs_tell_nothing() -> None:
    assert prediction_errors(pairs("a", [0.0] * (MIN_PAIRS - 1))).bounds("a") is None


def test_a_deployments_own_pairs_stand_in_for_the_shipped_ones_of_that_advisor_alone() -> None:
    own = pairs("join_order", [0.0] * MIN_PAIRS)
    assert errors_with([]) == shipped_errors()
    shipped = shipped_errors().bounds("join_order")
    few, enough = (errors_with(some).bounds("join_order") for some in (own[1:], own))
    assert shipped is not None and few is not None and enough is not None
    assert few.pairs == shipped.pairs + MIN_PAIRS - 1
    assert (enough.low, enough.high, enough.pairs) == (0.0, 0.0, MIN_PAIRS)


def test_the_shipped_pairs_are_of_several_jobs_and_hold_what_they_claim() -> None:
    shipped = shipped_pairs()
    assert len(shipped) >= 100 and len({pair.job for pair in shipped}) >= 10
    assert all(math.isfinite(pair.error) for pair in shipped)
    held = []
    for pair in shipped:
        bounds = prediction_errors(p for p in shipped if p.job != pair.job).bounds(pair.advisor)
        assert bounds is not None
        held.append(bounds.low <= pair.error <= bounds.high)
    assert 0.85 <= sum(held) / len(held) <= 0.95
