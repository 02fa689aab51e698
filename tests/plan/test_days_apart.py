"""The calendar rule."""

from __future__ import annotations

import pytest

from tuner.plan.days_apart import days_apart

from .day_cases import DAY_CASES


@pytest.mark.parametrize(("given", "expected"), DAY_CASES)
def test_days_count_by_how_far_they_are_apart(given: list[str], expected: list[str]) -> None:
    assert days_apart(given) == expected
