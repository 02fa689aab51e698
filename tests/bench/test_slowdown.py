"""Slower beyond chance."""

from __future__ import annotations

import random

import pytest

from tuner.bench.slowdown import p_slower, p_slower_in_pairs, significant


def test_too_few_say_nothing() -> None:
    assert p_slower([1.0], [2.0, 2.0]) is None
    assert p_slower([1.0, 1.0], [2.0]) is None


@pytest.mark.parametrize(("factor", "low", "high"), [(1.0, 0.9, 1), (1.05, 0.2, 0.8), (1.5, 0, 0.001)])
def test_the_margin_is_allowed(factor: float, low: float, high: float) -> None:
    default = [10.0, 10.2, 9.9, 10.1, 9.8]
    found = p_slower(default, [factor * s for s in default])
    assert found is not None
    assert low <= found <= high


def test_seconds_that_never_differ() -> None:
    assert p_slower([1.0, 1.0], [1.0, 1.0]) == 1.0
    assert p_slower([1.0, 1.0], [1.1, 1.1]) == 0.0


def test_of_many_queries_alike_hardly_any_is_called_slower() -> None:
    """99 queries as fast as by default, with 10 % of noise, over and over: wrong in no more than 5 % of the benches."""
    chance, wrong = random.Random(8), 0
    for _ in range(60):
        noisy = lambda count: [10 * chance.lognormvariate(0, 0.1) for _ in range(count)]  # noqa: E731
        wrong += bool(significant({str(q): p_slower(noisy(7), noisy(3)) for q in range(99)}))
    assert wrong <= 6


def test_holm_asks_the_most_of_the_first_and_stops_at_one_that_fails() -> None:
    assert significant({"a": 0.001, "b": 0.02, "c": 0.04, "d": None}) == {"a", "b", "c"}
    assert significant({"a": 0.02, "b": 0.02, "c": 0.02}) == set()
    assert significant({"a": 0.001, "b": 0.03, "c": 0.03}) == {"a"}
    assert significant({}) == set()


def test_pairs_bear_out_what_other_literals_would_hide() -> None:
    default = [1.0, 4.0, 16.0, 2.0, 8.0]
    slower = [(one, one * (1.2 + n / 100)) for n, one in enumerate(default)]
    assert (p := p_slower_in_pairs(slower)) is not None
    assert p < 0.001
    assert (p := p_slower(default, [mine for _, mine in slower])) is not None
    assert p > 0.1
    assert p_slower_in_pairs([(1.0, 1.04)] * 3) == 1.0
    assert p_slower_in_pairs([(1.0, 1.06)] * 3) == 0.0
    assert p_slower_in_pairs(slower[:1]) is None
