"""Level, growth and effects, learned run by run."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.policy.evidence.log_filter import LogFilter
from tuner.policy.evidence.log_ratio import LogRatio

NOISE = 0.05
CHANGE = {"change": 2.0}


def seen(*seconds: float, size: float = 0.0, may_be_slow: bool = False) -> LogFilter:
    found = LogFilter()
    for one in seconds:
        found.observe(math.log(one), size, {}, NOISE**2, may_be_slow=may_be_slow)
    return found


def test_an_effect_is_what_runs_with_it_take_over_runs_without() -> None:
    found = seen(10, 10, 10)
    found.observe(math.log(5), 0.0, CHANGE, NOISE**2)
    effect = found.effect(["change"])
    assert math.exp(effect.mean) == pytest.approx(0.5, rel=0.02)
    assert effect.below(1.0) > 0.99
    assert found.effect(["never seen"]) == LogRatio()


def test_more_runs_make_it_surer() -> None:
    chance, found, deviations = random.Random(1), seen(10), []
    for _ in range(8):
        found.observe(math.log(9) + chance.gauss(0, NOISE), 0.0, CHANGE, NOISE**2)
        deviations.append(found.effect(["change"]).deviation)
    assert deviations[-1] < deviations[0]


def test_a_change_that_replaces_another_is_held_against_that() -> None:
    found = seen(10, 10)
    for _ in range(3):
        found.observe(math.log(5), 0.0, {"old": 2.0}, NOISE**2)
    found.observe(math.log(8), 0.0, {"new": 2.0}, NOISE**2)
    assert math.exp(found.effect(["new"], instead_of=["old"]).mean) == pytest.approx(1.6, rel=0.05)


def test_how_seconds_follow_the_input_is_learned() -> None:
    found = LogFilter()
    for size in (0.0, 2.3, 0.0, 2.3, 0.0):
        found.observe(math.log(10) + 1.0 * size, size, {}, NOISE**2)
    assert found.foretold(2.3, {})[0] == pytest.approx(math.log(10) + 2.3, abs=0.1)


def test_one_stray_counts_little_and_two_are_another_level() -> None:
    found = seen(*[10.0] * 6)
    found.observe(math.log(30), 0.0, {}, NOISE**2)
    assert math.exp(found.foretold(0.0, {})[0]) < 11.5
    assert found.shifted == 0
    found.observe(math.log(30), 0.0, {}, NOISE**2)
    assert found.shifted > 0
    assert math.exp(found.foretold(0.0, {})[0]) > 20


def test_one_run_that_took_far_longer_than_the_next_was_the_slow_one() -> None:
    def level(*seconds: float, may_be_slow: bool = True) -> float:
        return math.exp(seen(*seconds, may_be_slow=may_be_slow).foretold(0.0, {})[0])

    assert level(15, 10) == pytest.approx(10, rel=0.05)
    assert level(10, 15) < 11.5
    assert level(*[15.0] * 4, 10) > 13.5, "four runs were not slow by chance"
    assert level(15, 10, may_be_slow=False) > 13, "it may have done less"
    assert level(15, 10, 15) == pytest.approx(15, rel=0.05), "of three, the two that are alike are right"
    assert level(15, 10, 10, 15) < 12
    assert level(15, 10, 30) < 12
    assert level(15, 10, 30, 15) == pytest.approx(15, rel=0.05)
    assert level(10, 10, 15) < 11.5


def test_runs_with_a_change_keep_what_they_told_where_the_one_without_was_slow() -> None:
    found = seen(15)
    for _ in range(3):
        found.observe(math.log(12), 0.0, CHANGE, NOISE**2)
    found.observe(math.log(10), 0.0, {}, NOISE**2, may_be_slow=True)
    mean, variance = found.foretold(0.0, CHANGE)
    assert math.exp(mean) == pytest.approx(12, rel=0.08)
    assert math.sqrt(variance) < 0.1, "less than the third by which the first was off"
    assert found.effect(["change"]).above(1.03) > 0.9


def test_two_strays_under_one_change_with_a_usual_run_between_are_its_doing() -> None:
    found = seen(*[10.0] * 4)
    for _ in range(4):
        found.observe(math.log(5), 0.0, CHANGE, NOISE**2)
    for seconds, changes in ((30, CHANGE), (10, {}), (30, CHANGE)):
        found.observe(math.log(seconds), 0.0, changes, NOISE**2)
    assert math.exp(found.foretold(0.0, {})[0]) == pytest.approx(10, rel=0.15)
    assert found.effect(["change"]).above(1.5) > 0.9


def test_what_a_run_with_a_change_is_off_by_beyond_the_stray_before_it_without_is_its_doing() -> None:
    def after(*seconds: tuple[float, dict[str, float]]) -> LogFilter:
        found = seen(*[10.0] * 4)
        for one, changes in (*[(5.0, CHANGE)] * 6, *seconds):
            found.observe(math.log(one), 0.0, changes, NOISE**2)
        return found

    lost = after((20, {}), (40, CHANGE))
    assert lost.effect(["change"]).above(1.5) > 0.9
    assert math.exp(lost.foretold(0.0, {})[0]) == pytest.approx(20, rel=0.1), (
        "the level is what the run without it told"
    )
    assert lost.shifted == pytest.approx(math.log(4), rel=0.1), "and not eight times as long"
    gained = after((20, {}), (10, CHANGE))
    assert math.exp(gained.effect(["change"]).mean) == pytest.approx(0.5, rel=0.1), "both took twice as long"
    assert math.exp(gained.foretold(0.0, {})[0]) == pytest.approx(20, rel=0.1)


def test_what_is_learned_of_an_effect_elsewhere_moves_the_level() -> None:
    """The first run took 20 s on a busy machine, the second 10 s with a change that did next to nothing, as work tells."""
    found = seen(20)
    found.observe(math.log(10), 0.0, CHANGE, NOISE**2)
    level = found.without(0.0, [], ["change"], LogRatio(0.0, 0.0001))
    assert math.exp(level.mean) == pytest.approx(math.sqrt(200), rel=0.05)


@given(st.lists(st.tuples(st.floats(0.01, 1e5), st.sampled_from([0.0, 0.7, -2.0]), st.booleans()), max_size=20))
def test_variances_stay_variances(runs: list[tuple[float, float, bool]]) -> None:
    found = LogFilter()
    for seconds, size, changed in runs:
        found.observe(math.log(seconds), size, CHANGE if changed else {}, NOISE**2)
        mean, variance = found.foretold(size, CHANGE)
        assert math.isfinite(mean)
        assert variance > 0
        assert found.effect(["change"]).variance > 0
