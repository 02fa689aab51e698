"""A difference of seconds, part by part."""

from __future__ import annotations

import math

import pytest

from tuner.compare.execution_amounts import ExecutionAmounts
from tuner.compare.time_split import TimeSplit, time_split, within


def split(before: ExecutionAmounts, after: ExecutionAmounts, work: float | None = 0.0) -> tuple[float | None, ...]:
    found: TimeSplit = time_split(before, after, work)
    return tuple(
        None if part is None else round(part, 6) for part in (found.work, found.processors, found.waiting, found.rest)
    )


PLAIN = ExecutionAmounts(seconds=10, task_seconds=80, cpu_seconds=80)


def test_each_factor_explains_what_it_alone_changed() -> None:
    twice = ExecutionAmounts(seconds=20, task_seconds=160, cpu_seconds=160)
    assert split(PLAIN, twice, math.log(2)) == (10, 0, 0, 0)
    assert split(PLAIN, twice) == (0, 10, 0, 0)
    assert split(PLAIN, ExecutionAmounts(20, 160, 80)) == (0, 0, 10, 0)
    assert split(PLAIN, ExecutionAmounts(20, 80, 80)) == (0, 0, 0, 10)


def test_factors_that_multiply_share_what_they_make_together() -> None:
    assert split(PLAIN, ExecutionAmounts(40, 320, 320), math.log(2)) == (15, 15, 0, 0)


def test_what_the_next_factor_undoes_explains_nothing() -> None:
    assert split(PLAIN, ExecutionAmounts(20, 160, 40), math.log(4)) == (0, 0, 10, 0)
    assert split(PLAIN, ExecutionAmounts(10, 160, 160), math.log(2)) == (0, 0, 0, 0)


def test_what_was_not_measured_is_left_out() -> None:
    assert split(ExecutionAmounts(seconds=10), ExecutionAmounts(seconds=20), None) == (None, 0, 0, 10)
    assert split(ExecutionAmounts(seconds=10, task_seconds=80), ExecutionAmounts(20, 160), math.log(2)) == (10, 0, 0, 0)
    assert split(ExecutionAmounts(), ExecutionAmounts(seconds=20), None) == (None, 0, 0, 20)


@pytest.mark.parametrize(
    ("part", "whole", "kept"), [(1, 2, 1), (3, 2, 2), (-1, 2, 0), (-1, -2, -1), (-3, -2, -2), (1, -2, 0), (1, 0, 0)]
)
def test_a_part_is_no_more_than_the_whole(part: float, whole: float, kept: float) -> None:
    assert within(part, whole) == kept
