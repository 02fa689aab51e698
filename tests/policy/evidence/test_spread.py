"""How far values are off from run to run, learned."""

from __future__ import annotations

import math
import random

import pytest

from tuner.policy.evidence.spread import MOST, USUAL_COUNTS, Spread


def test_an_estimate_that_nothing_was_told_of_leaves_it_as_it_is() -> None:
    found = Spread(0.06)
    for _ in range(50):
        found.add_estimate(0.0, 0.06**2)
    assert found.variance == pytest.approx(0.06**2)


def test_an_estimate_counts_with_what_it_may_be_off_by() -> None:
    found = Spread(0.06)
    found.add_estimate(0.09, 0.0019)
    assert found.variance == pytest.approx((USUAL_COUNTS * 0.06**2 + 0.01) / (USUAL_COUNTS + 1))


def test_a_busy_machine_counts_as_one_that_is_just_believed() -> None:
    found = Spread(0.06)
    found.add_estimate(1.2, 0.2)
    assert found.variance == pytest.approx((USUAL_COUNTS + MOST**2) * 0.06**2 / (USUAL_COUNTS + 1))


def test_errors_that_tell_nothing_leave_it_as_it_is() -> None:
    """As those of queries so short that start-up is all that differs."""
    found = Spread(0.06)
    for _ in range(500):
        found.add(0.1, 0.25, found.told(0.25))
    assert found.variance == pytest.approx(0.06**2, rel=0.05)


def test_the_few_errors_that_tell_are_learned_among_many_that_do_not() -> None:
    found, chance = Spread(0.06), random.Random(1)
    for _ in range(60):
        for known in (*[0.25] * 60, *[0.0015] * 5):
            found.add(chance.gauss(0, math.sqrt(0.15**2 + known)), known, found.told(known))
    assert found.variance == pytest.approx(0.15**2, rel=0.25)
