"""What could be saved, and between which ends."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest

from tests.replay.report.made import cohort
from tuner.model.change import Prediction
from tuner.replay.report.saved import saved_in, saved_of


def test_the_interval_of_core_hours_is_that_of_seconds_in_proportion() -> None:
    some = replace(cohort(), saved=Prediction(100, 60, 40, 110), query_seconds=200, saved_core_hours=0.4)
    found = saved_of(some)
    assert found is not None
    assert astuple(found) == pytest.approx((40, -10, 60, 0.4, -0.1, 0.6))


def test_nothing_lacked_is_nothing_saved() -> None:
    assert saved_of(cohort(share=None)) is None
    assert saved_in([cohort(share=None)]) is None


def test_a_gain_of_nothing_keeps_its_interval() -> None:
    even = replace(cohort(), saved=Prediction(100, 100, 90, 110), query_seconds=200, core_hours=2, saved_core_hours=0)
    found = saved_of(even)
    assert found is not None
    assert (found.least_core_hours, found.core_hours, found.most_core_hours) == pytest.approx((-0.1, 0, 0.1))


def test_cohorts_add_up() -> None:
    found = saved_in([cohort("a", 10), cohort("b", 20), cohort("c", share=None)])
    assert found is not None
    assert (found.core_hours, found.least_core_hours, found.most_core_hours) == pytest.approx((12, 3.6, 16.8))
