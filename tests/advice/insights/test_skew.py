"""Insight: skew."""

from __future__ import annotations

import pytest

from tuner.advice.insights.skew import skewed_stages

from .plans import facts, only, values

ONE_STAGE = "Scan parquet db.orders | [c#1] | number of output rows=9"


def test_a_task_that_held_up_its_stage() -> None:
    given = facts(
        ONE_STAGE,
        tasks=11,
        completed_tasks=11,
        executor_run_time_ms=18_000,
        longest_task_ms=8_000,
        longest_task_bytes=500,
        shuffle_read_bytes=1_000,
    )
    found = only(skewed_stages, given)
    assert found.seconds == 7  # it ran 8 s, the others 1 s each
    assert "8 times" in found.reason and "it read much more" in found.reason
    assert values(found)["read by another task"] == 50


def test_a_slow_task_that_read_no_more_than_others_may_be_a_slow_machine() -> None:
    given = facts(
        ONE_STAGE,
        completed_tasks=11,
        executor_run_time_ms=18_000,
        longest_task_ms=8_000,
        longest_task_bytes=90,
        shuffle_read_bytes=1_000,
    )
    assert "machine" in only(skewed_stages, given).reason


@pytest.mark.parametrize(
    "stage",
    [
        {"completed_tasks": 2, "executor_run_time_ms": 9_000, "longest_task_ms": 8_900},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 4_000},
        {"completed_tasks": 101, "executor_run_time_ms": 98_000, "longest_task_ms": 8_000, "completed_ms": 40_000},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 8_000, "failed_tasks": 1},
        {"completed_tasks": 11, "executor_run_time_ms": 0, "longest_task_ms": 0},
    ],
    ids=["two tasks", "less than five times", "others ran meanwhile", "times of failed attempts", "no times"],
)
def test_stages_that_are_even_enough(stage: dict[str, int]) -> None:
    assert not list(skewed_stages(facts(ONE_STAGE, **stage)))
