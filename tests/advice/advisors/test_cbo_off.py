"""Spark's own reordering off: where runs in the written order were faster."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS_FIRST, ordered
from tests.advice.joins import facts
from tuner.advice.advisors.cbo_off import advise_cbo_off
from tuner.advice.facts import Facts, PastRun
from tuner.model.query import Query
from tuner.words.reasons import reason_words

ON = {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true"}


def given(now: list[Query], *then: list[Query], conf: dict[str, str] | None = None) -> Facts:
    earlier = tuple(PastRun(tuple(queries), conf or {}) for queries in then)
    return replace(facts(*now, conf=ON), earlier=earlier)


def test_orders_that_it_made_slower_are_those_of_runs_without_it_again() -> None:
    (advice,) = advise_cbo_off(
        given(
            [ordered(AS_WRITTEN, 94)], [ordered(DAYS_FIRST, 54)], [ordered(DAYS_FIRST, 50)], [ordered(DAYS_FIRST, 52)]
        )
    )
    assert [(a.target, a.value) for a in advice.actions] == [("spark.sql.cbo.joinReorder.enabled", "false")]
    predicted = advice.prediction
    assert (predicted.before, predicted.after) == (94, 52)
    assert (predicted.low, predicted.high) == (pytest.approx(45), pytest.approx(59.4))
    assert "took 94.0 s instead of 52.0 s in the order as written" in reason_words(advice.reason)


def test_what_it_gained_elsewhere_counts() -> None:
    gained = ordered(DAYS_FIRST, 10, fingerprint="q2"), ordered(AS_WRITTEN, 70, fingerprint="q2")
    lost = ordered(AS_WRITTEN, 94), ordered(DAYS_FIRST, 52)
    assert not list(advise_cbo_off(given([gained[0], lost[0]], [gained[1], lost[1]])))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(given([ordered(AS_WRITTEN, 54)], [ordered(DAYS_FIRST, 52)]), id="within noise"),
        pytest.param(given([ordered(AS_WRITTEN, 94)], [ordered(AS_WRITTEN, 52)]), id="the same order"),
        pytest.param(given([ordered(AS_WRITTEN, 94)], [ordered(DAYS_FIRST, 52)], conf=ON), id="on then too"),
        pytest.param(given([ordered(AS_WRITTEN, 94)]), id="no run without it"),
        pytest.param(
            given([ordered(AS_WRITTEN, 94)], [replace(ordered(DAYS_FIRST, 52), input_bytes=10**8)]),
            id="ten times less to read then",
        ),
        pytest.param(replace(given([ordered(AS_WRITTEN, 94)], [ordered(DAYS_FIRST, 52)]), conf={}), id="off now"),
    ],
)
def test_what_is_left_alone(case: Facts) -> None:
    assert not list(advise_cbo_off(case))
