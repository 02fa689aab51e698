"""How fast the machine was, by what no change touched."""

from __future__ import annotations

import math

import pytest

from tuner.policy.evidence.machine import Control, Shared, machine_speed, without

USUAL = 0.06


def slow(ratio: float, *, clean: bool = True) -> Control:
    return Control(math.log(ratio), 0.01, clean)


def test_without_controls_nothing_is_known_but_how_machines_vary() -> None:
    assert machine_speed([], USUAL) == (0.0, USUAL**2)


def test_a_busy_night_is_believed_when_all_are_slow() -> None:
    found = machine_speed([slow(2.0), slow(2.1), slow(1.9), slow(2.0)], USUAL)
    assert math.exp(found.log) == pytest.approx(2.0, rel=0.05)
    assert found.variance < 0.005


def test_one_slow_query_of_several_is_its_own() -> None:
    found = machine_speed([slow(1.0), slow(1.02), slow(0.99), slow(10.0)], USUAL)
    assert math.exp(found.log) == pytest.approx(1.0, abs=0.03)


def test_few_queries_that_a_property_reaches_are_no_excuse() -> None:
    assert math.exp(machine_speed([slow(9.0, clean=False)], USUAL).log) < 1.2
    assert math.exp(machine_speed([slow(9.0)], USUAL).log) > 5


def test_of_few_controls_the_one_that_is_judged_is_left_out() -> None:
    own, other = slow(3.0), slow(1.0)
    assert without([own, other], own) == [other]
    many = [slow(1.0)] * 9
    assert without(many, many[0]) is many


def test_what_many_controls_are_off_by_together_does_not_even_out() -> None:
    """A hundred stages that are told apart from whole queries by 0.05 say no more than that."""
    stages = Shared(0, 0.05**-2)
    many = [Control(math.log(1.2), 0.01, shared=stages)] * 100
    found = machine_speed(many, USUAL)
    assert 0.035 < math.sqrt(found.variance) < 0.05
    assert math.sqrt(machine_speed([one._replace(shared=None) for one in many], USUAL).variance) < 0.01
    apart = [*many, *[slow(1.0)] * 10]
    assert math.exp(machine_speed(apart, USUAL).log) < 1.1, "ten that share nothing tell more"


def test_controls_that_one_slow_run_taught_leave_half_to_the_machine() -> None:
    """All of them had a property in one run, of whose machine nothing told: what they are off by now may be of either run."""
    taught = Shared(1, 0.0)
    found = machine_speed([slow(1.1)._replace(shared=taught) for _ in range(50)], USUAL)
    assert found.log == pytest.approx(math.log(1.1) / 2, rel=0.05)
    busy = machine_speed([slow(3.0)._replace(shared=taught) for _ in range(50)], USUAL)
    assert busy.log == pytest.approx(math.log(3.0) / 2, rel=0.05), "either may have been a busy one"
    more = machine_speed([slow(1.1)._replace(shared=Shared(9, 0.0)) for _ in range(50)], USUAL)
    assert more.log == pytest.approx(0.9 * math.log(1.1), rel=0.05)
