"""How fast the machine was while each query ran, by those before and after it."""

from __future__ import annotations

import math

import pytest

from tuner.policy.evidence.hours import Turn, speeds_by_turn
from tuner.policy.evidence.machine import Control

NOISE = 0.01


def off(ratio: float) -> Turn:
    return Turn(Control(math.log(ratio), NOISE))


def ratios(*turns: Turn) -> list[float]:
    return [math.exp(speed.log) for speed in speeds_by_turn(turns)]


def test_a_slow_stretch_is_told_by_its_neighbours() -> None:
    found = ratios(*map(off, [1.0, 1.02, 0.98, 1.0, 1.01, 2.0, 2.1, 1.9, 2.0, 2.0]))
    assert found[1:4] == pytest.approx([1.0] * 3, abs=0.05)
    assert found[6:9] == pytest.approx([2.0] * 3, abs=0.2)


def test_one_in_a_slow_stretch_that_nothing_is_known_of_was_slow_too() -> None:
    turns = [*map(off, [1.0, 1.0, 1.0, 2.0, 2.0]), Turn(), *map(off, [2.0, 2.0])]
    assert ratios(*turns)[5] == pytest.approx(2.0, rel=0.1)


def test_what_a_query_is_off_by_alone_is_its_own() -> None:
    assert ratios(*map(off, [1.0, 1.01, 0.99, 3.0, 1.0, 1.02, 0.98, 1.0])) == pytest.approx([1.0] * 8, abs=0.01)


def test_what_is_off_by_chance_says_nothing() -> None:
    assert ratios(*map(off, [1.1, 0.95, 1.05, 0.9, 1.0, 1.1])) == [1.0] * 6


def test_a_query_does_not_excuse_itself() -> None:
    """Its own seconds tell of its neighbours only."""
    calm, wild = ([*map(off, [1.0, 1.0, 2.0, 2.0]), off(last), *map(off, [2.0, 2.0])] for last in (2.0, 2.5))
    assert ratios(*wild)[4] == pytest.approx(ratios(*calm)[4], rel=0.05)


def test_its_stages_that_nothing_reaches_tell_of_its_own_time() -> None:
    busy = Turn(None, Control(math.log(2.0), NOISE))
    edge = [*map(off, [1.0, 1.0, 1.0]), busy, busy, busy]
    assert ratios(*edge)[3] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("turns", [[], [Turn()], [off(3.0)], [Turn(), Turn()]])
def test_so_few_tell_nothing(turns: list[Turn]) -> None:
    assert ratios(*turns) == [1.0] * len(turns)


def test_a_speed_is_the_less_sure_the_further_its_neighbours_are() -> None:
    turns = [*map(off, [1.0, 1.0, 2.0, 2.0]), Turn(), Turn(), Turn(), Turn()]
    unsure = [speed.variance for speed in speeds_by_turn(turns)]
    assert unsure[4] < unsure[5] < unsure[7]


def test_a_run_that_is_slow_as_a_whole_has_no_slow_stretch() -> None:
    """That is the machine's speed in the run, which is told elsewhere."""
    assert ratios(*map(off, [1.5, 1.52, 1.48, 1.5, 1.5])) == [1.0] * 5
    assert ratios(off(1.5), off(1.5)) == [1.0, 1.0]
